"""Section 5 of docs/commitment.md: the structure of leaves, written from that text alone."""

from values import MAX_INTEGER, Refused, encode, is_int, is_number, is_set, is_text


class Kind:
    """The type of a value: a check that raises, and whether the value may emit nothing."""

    def __init__(self, check, empty=False):
        self.check, self.empty = check, empty

    def part(self, value):
        """A part of a choice or tuple, or the value of a pair: `[]` is what emits nothing."""
        if not (self.empty and value == []):
            self.check(value)


def refuse_unless(ok, why):
    if not ok:
        raise Refused(why)


def simple(test, what):
    return Kind(lambda value: refuse_unless(test(value), "no " + what))


TEXT = simple(is_text, "text")
BOOL = simple(lambda value: value is True or value is False, "true or false")
INTEGER = simple(is_int(0, MAX_INTEGER), "integer from 0")
PRICE = simple(is_int(-MAX_INTEGER, MAX_INTEGER), "integer")
NUMBER = simple(is_number, "number")


def items(value):
    refuse_unless(isinstance(value, list) and value, "an array that is not empty was expected")
    return value


def opt(kind):
    return Kind(lambda value: kind.check(value), True)


def seq(kind):
    return Kind(lambda value: [kind.check(item) for item in items(value)], True)


def set_of(kind):
    def check(value):
        seq(kind).check(value)
        refuse_unless(is_set(value), "not sorted, or something stands twice")

    return Kind(check, True)


def map_of(key, value):
    def check_pair(item):
        tup(key, value).check(item)
        refuse_unless(item[1] != [], "a value that emits nothing")

    pair = Kind(check_pair)

    def check(pairs):
        set_of(pair).check(pairs)
        keys = [encode(pair[0]) for pair in pairs]
        refuse_unless(len(set(keys)) == len(keys), "a key stands twice")

    return Kind(check, True)


def tup(*kinds):
    def check(value):
        refuse_unless(isinstance(value, list) and len(value) == len(kinds), "%d parts were expected" % len(kinds))
        for kind, part in zip(kinds, value):
            kind.part(part)

    return Kind(check)


def rec(**members):
    """An object; a key that Python reserves is written with a final underscore."""
    members = {key.rstrip("_"): kind for key, kind in members.items()}

    def check(value):
        refuse_unless(isinstance(value, dict), "an object was expected")
        for key in value:
            refuse_unless(key in members, "unknown member " + key)
        for key, kind in members.items():
            if key in value:
                kind.check(value[key])
            else:
                refuse_unless(kind.empty, "no member " + key)

    return Kind(check)


def choice(*words, **forms):
    """Words without parts, and words with parts."""
    forms = {word.rstrip("_"): parts for word, parts in forms.items()}

    def check(value):
        if isinstance(value, str):
            refuse_unless(value in words, "unknown word " + value)
            return
        refuse_unless(isinstance(value, list) and value and is_text(value[0]), "a word with its parts was expected")
        refuse_unless(value[0] in forms, "unknown word " + value[0])
        tup(*forms[value[0]]).check(value[1:])

    return Kind(check)


def later(name):
    """A type that is defined further down, or in itself."""
    return Kind(lambda value: TYPES[name].check(value))


def types():
    t = {}
    dimension, record_expr, expr = later("Dimension"), later("RecordExpr"), later("Expr")
    condition, term, step = later("Condition"), later("Term"), later("FlowStep")
    # 5.3
    units = "plain proportion difference ratio count usd tokens seconds bits nats".split()
    t["Dimension"] = choice(*units, per=(dimension, dimension))
    quantity = tup(NUMBER, dimension)
    number_type = rec(dimension=dimension, bounds=rec(lower=opt(NUMBER), upper=opt(NUMBER)), integer=BOOL)
    value_type = choice("bool", "text", number=(number_type,), level=(seq(TEXT),))
    attribute = choice(word=(TEXT,), number=(quantity,), text=(TEXT,))
    input_file = rec(path=TEXT, sha256=opt(TEXT), bytes=opt(INTEGER))

    def check_file(value):
        input_file.check(value)
        refuse_unless(("sha256" in value) == ("bytes" in value), "sha256 and bytes go together")

    file = Kind(check_file)
    # 5.4
    question = rec(primary=BOOL, text=TEXT)
    t["study"] = rec(
        title=TEXT,
        authors=seq(TEXT),
        questions=map_of(TEXT, question),
        limitations=map_of(TEXT, TEXT),
        epochs=map_of(TEXT, TEXT),
    )
    t["factors"] = rec(origin=choice("declared", "models", "scaffolds"), ordered=BOOL, levels=seq(TEXT))
    t["models"] = rec(
        provider=TEXT,
        id=TEXT,
        pinned=TEXT,
        attributes=map_of(TEXT, attribute),
        prices=map_of(TEXT, map_of(TEXT, PRICE)),
        settings=map_of(TEXT, choice("omitted", sent=(attribute,))),
    )
    role = rec(
        prompt=opt(file),
        tools=set_of(TEXT),
        reply=map_of(TEXT, rec(type=TEXT, optional=BOOL)),
        fresh=BOOL,
    )
    t["scaffolds"] = rec(
        title=TEXT,
        harness=opt(TEXT),
        tools=set_of(TEXT),
        roles=map_of(TEXT, role),
        flow=seq(step),
        limits=set_of(quantity),
        checks=map_of(TEXT, TEXT),
    )
    t["FlowStep"] = choice(
        run=(TEXT, opt(TEXT)),
        loop=(INTEGER, opt(TEXT), seq(step)),
        fan_out=(INTEGER, seq(step), TEXT),
        candidates=(INTEGER, seq(step), TEXT),
        hand_over=(TEXT,),
    )
    t["tools"] = rec(schema=opt(file), description=TEXT)
    # 5.5
    t["tasks"] = rec(
        name=TEXT,
        source=choice(file=(file, TEXT), count=(INTEGER,), list=(seq(TEXT),)),
        attributes=map_of(TEXT, rec(type=value_type, optional=BOOL, from_=TEXT)),
        defines=map_of(TEXT, rec(type=value_type, expr=record_expr)),
        expectations=seq(rec(count=INTEGER, filter=opt(record_expr))),
        select=opt(record_expr),
        provenance=opt(TEXT),
    )
    t["design"] = rec(
        cross=set_of(TEXT),
        nest=map_of(TEXT, TEXT),
        repeat=INTEGER,
        hold=map_of(TEXT, TEXT),
        exclude=set_of(rec(condition=record_expr)),
        order=choice("listed", shuffled=(opt(TEXT), opt(INTEGER))),
        minimum=opt(tup(INTEGER, seq(TEXT))),
        caps=set_of(tup(TEXT, quantity)),
        collapse=map_of(TEXT, TEXT),
    )
    t["fields"] = rec(
        role=choice("outcome", "flag"),
        type=value_type,
        optional=BOOL,
        source=opt(tup(TEXT, TEXT, TEXT)),
        derived=opt(record_expr),
        text=opt(TEXT),
    )
    state = choice(
        *"scored unscored scorer_absent errored errored_but_scored limited context_overflow refusal cancelled".split(),
        *"infrastructure_exhausted missing invalidated edited superseded surplus".split()
    )
    state_class = choice("completed", "errored", "missing")
    t["sets"] = rec(
        drop=set_of(record_expr),
        keep=set_of(rec(every=set_of(TEXT), count=INTEGER, state=state_class)),
        count=map_of(state_class, choice("incorrect", "excluded", value=(quantity,))),
        fill=map_of(state_class, map_of(TEXT, choice("absent", value=(quantity,)))),
        pool=choice("planned", "present"),
    )
    # 5.6
    relation = choice("lt", "le", "eq", "ne", "ge", "gt")
    operation = choice("add", "sub", "mul", "div")
    level_ref = choice("next", level=(TEXT,), parameter=(TEXT,), picked=(TEXT,))
    cell = seq(tup(TEXT, level_ref))
    t["RecordExpr"] = choice(
        bool=(BOOL,),
        number=(quantity,),
        text=(TEXT,),
        level=(TEXT,),
        field=(TEXT,),
        factor=(TEXT,),
        at=(record_expr, cell),
        flagged=(TEXT,),
        state=(state_class,),
        present=(record_expr,),
        ends_with=(record_expr, seq(TEXT)),
        one_of=(record_expr, seq(TEXT)),
        not_=(record_expr,),
        and_=(seq(record_expr),),
        or_=(seq(record_expr),),
        compare=(record_expr, relation, record_expr),
        arithmetic=(record_expr, operation, record_expr),
        negate=(record_expr,),
        abs=(record_expr,),
        log=(record_expr,),
        step=(TEXT,),
    )
    statistic = choice(
        *"auroc average_precision precision recall f1 kappa pearson spearman kendall brier log_loss".split(),
        "median_survival",
        *"survival_at restricted_mean spearman_within kendall_within groups_without theil_sen".split(),
        *"first_crossing window_mean largest_rise largest_fall".split(),
        calibration_error=(INTEGER,),
        pass_at=(INTEGER,),
        pass_all=(INTEGER,),
    )
    aggregate = rec(
        kind=choice(
            *"mean rate sum count median sd min max phi".split(), quantile=(NUMBER,), statistic=(statistic,)
        ),
        arguments=seq(record_expr),
        filter=opt(record_expr),
    )
    t["Expr"] = choice(
        number=(quantity,),
        value=(TEXT,),
        aggregate=(aggregate,),
        measure=(TEXT, seq(level_ref)),
        estimand=(TEXT,),
        at=(expr, cell),
        for_=(expr, record_expr),
        reduce=(choice("spread", "max", "min", "sum", "product", "mean", "mean_defined"), TEXT, expr),
        slope=(TEXT, expr),
        arithmetic=(expr, operation, expr),
        negate=(expr,),
        abs=(expr,),
        log=(expr,),
        minimum=(seq(expr),),
        maximum=(seq(expr),),
    )
    # 5.7
    t["values"] = rec(per=opt(TEXT), entries=map_of(TEXT, quantity), source=TEXT)
    t["measures"] = rec(parameters=seq(tup(TEXT, TEXT)), expr=expr, undefined=opt(quantity), type=number_type)
    fitted = rec(
        formula=TEXT,
        target=choice(without=(TEXT,), coefficient=(TEXT,)),
        nodes=INTEGER,
        filter=opt(record_expr),
    )
    t["estimands"] = rec(
        per=seq(rec(factor=TEXT, except_=set_of(TEXT), pair=BOOL)),
        body=choice("reported", contrast=(expr,), paired=(record_expr, opt(record_expr)), fitted=(fitted,)),
        type=number_type,
    )
    t["picks"] = rec(
        factor=TEXT, largest=BOOL, expr=expr, per=set_of(TEXT), ties_refuse=BOOL, resample_again=BOOL
    )
    t["intervals"] = rec(
        method=choice(
            *"paired_t newcombe_paired agresti_caffo wald".split(),
            bootstrap_percentile=(TEXT, INTEGER, INTEGER),
            bootstrap=(choice(*"basic bca studentised max_t spread_bound".split()), TEXT, INTEGER, INTEGER),
            wilson=(TEXT, BOOL),
            clopper_pearson=(TEXT,),
            jeffreys=(TEXT,),
            beta_binomial=(TEXT,),
            cluster_t=(TEXT,),
            newcombe=(TEXT,),
            fieller=(TEXT,),
        ),
        level=quantity,
        over=opt(TEXT),
    )
    sides = choice("two", "greater", "less")
    t["tests"] = rec(
        method=choice(
            *"hotelling log_rank likelihood_ratio".split(),
            wilcoxon=(sides, quantity, choice("wilcox", "pratt", "split")),
            mcnemar=(sides, BOOL),
            fisher=(sides,),
            equivalence=(quantity,),
            wald=(sides,),
            sign=(sides, quantity),
            sign_flip=(sides, quantity),
            paired_t=(sides, quantity),
            permutation=(TEXT, TEXT, INTEGER, INTEGER),
            permutation_contrast=(sides, TEXT, TEXT, INTEGER, INTEGER),
            isotonic=(choice("up", "down", "either"), TEXT, TEXT, INTEGER, INTEGER),
            equivalence_exact=(quantity,),
            non_inferiority=(quantity, BOOL, BOOL),
            spearman=(sides, BOOL),
        )
    )
    t["margins"] = rec(low=quantity, high=opt(quantity), higher=opt(BOOL), source=TEXT)
    t["families"] = rec(
        members=set_of(rec(estimand=TEXT, test=TEXT, filter=opt(record_expr))),
        within=set_of(TEXT),
        adjust=choice(
            *"holm bonferroni hochberg hommel benjamini_hochberg benjamini_yekutieli".split(),
            *"fixed_sequence graph joint none".split()
        ),
        count=INTEGER,
        sequence=seq(TEXT),
        weights=map_of(TEXT, quantity),
        passes=set_of(rec(from_=TEXT, to=TEXT, share=quantity)),
        together=set_of(TEXT),
    )
    line = rec(
        estimand=TEXT, difference=TEXT, equivalence=opt(TEXT), intervals=set_of(TEXT), higher=BOOL
    )
    t["comparisons"] = rec(
        lines=set_of(line),
        within=set_of(TEXT),
        adjust=choice(
            *"holm bonferroni hochberg hommel benjamini_hochberg benjamini_yekutieli".split(),
            *"fixed_sequence graph joint none".split()
        ),
        level=quantity,
        minimum=INTEGER,
        precedence=opt(choice("difference", "equivalence")),
        set=TEXT,
        count=INTEGER,
    )
    t["rankings"] = rec(
        kind=choice(
            findings=(TEXT, choice("inclusion", "count")),
            estimate=(TEXT, BOOL, set_of(TEXT)),
            front=(set_of(rec(estimand=TEXT, higher=BOOL)), set_of(TEXT), TEXT),
        ),
        set=TEXT,
    )
    t["looks"] = rec(at=seq(INTEGER), maximum=INTEGER, spend=choice("obrien_fleming", "pocock", "anytime"))
    change = rec(by=quantity, times=BOOL, filter=opt(record_expr))
    draw = rec(mean=quantity, changes=seq(change), varies=set_of(rec(within=set_of(TEXT), sd=quantity)))
    verdict = choice(*"supported contradicted inconclusive void not_evaluated not_evaluable".split())
    t["scenarios"] = rec(
        null=BOOL,
        words=TEXT,
        seed=INTEGER,
        draws=map_of(TEXT, draw),
        losses=set_of(tup(state_class, quantity)),
        expects=set_of(rec(hypothesis=TEXT, class_=verdict, at_most=BOOL, share=quantity)),
    )
    # 5.8
    about = rec(
        alias=TEXT,
        estimand=TEXT,
        at=set_of(tup(TEXT, level_ref)),
        intervals=set_of(TEXT),
        tests=set_of(TEXT),
    )
    quantifier = rec(
        kind=choice("all", "any", "none", at_least=(INTEGER, INTEGER)),
        factors=set_of(TEXT),
        when_lost=set_of(tup(INTEGER, INTEGER)),
    )
    scope = rec(quantifiers=seq(quantifier), filter=opt(record_expr))
    t["gates"] = rec(
        polarity=opt(choice("positive", "negative")),
        about=set_of(about),
        scope=opt(scope),
        per=set_of(TEXT),
        set=TEXT,
        require=condition,
        fail=choice("void", "not_evaluated"),
        reason=TEXT,
    )
    case_condition = choice("otherwise", when=(condition,))
    case = rec(
        label=TEXT,
        class_=choice("supported", "contradicted", "inconclusive"),
        when=case_condition,
        because=opt(TEXT),
    )
    ordered, unordered = (rec(in_order=BOOL, cases=many(case)) for many in (seq, set_of))

    def check_rule(value):
        refuse_unless(isinstance(value, dict), "an object was expected")
        (ordered if value.get("in_order") is True else unordered).check(value)

    rule = Kind(check_rule)
    clause = rec(about=set_of(about), scope=opt(scope), evaluable=opt(condition), rule=rule)
    t["hypotheses"] = rec(
        role=choice("primary", "secondary", "exploratory"),
        descriptive=BOOL,
        claim=TEXT,
        answers=set_of(TEXT),
        about=set_of(about),
        scope=opt(scope),
        grid=seq(TEXT),
        sets=seq(TEXT),
        requires=set_of(TEXT),
        after=set_of(condition),
        evaluable=opt(condition),
        clauses=map_of(TEXT, clause),
        rule=opt(rule),
        notes=map_of(TEXT, TEXT),
    )
    t["Condition"] = choice(
        compare=(term, relation, term),
        within=(term, term, term),
        is_=(TEXT, BOOL, BOOL, TEXT, opt(TEXT)),
        not_=(condition,),
        and_=(seq(condition),),
        or_=(seq(condition),),
    )
    evidence = rec(
        about=TEXT,
        method=opt(TEXT),
        kind=choice("estimate", "lower", "upper", "p", "p_adjusted", "n", "clusters"),
    )
    t["Term"] = choice(
        number=(quantity,),
        margin=(TEXT,),
        margin_high=(TEXT,),
        value=(TEXT,),
        evidence=(evidence,),
        count_members=(seq(TEXT), condition),
        arithmetic=(term, operation, term),
        negate=(term,),
        abs=(term,),
        minimum=(seq(term),),
        maximum=(seq(term),),
    )
    t["conclusions"] = rec(cases=seq(rec(sentence=opt(TEXT), when=case_condition)))
    t["publish"] = rec(figures=set_of(TEXT))
    t["waivers"] = set_of(rec(code=TEXT, on=TEXT, because=TEXT))
    # 5.9
    level_mapping = rec(at=TEXT, spellings=map_of(TEXT, TEXT))
    unit = rec(word=TEXT, factor=NUMBER)
    field_mapping = rec(at=TEXT, spellings=map_of(TEXT, attribute), unit=opt(unit))
    reported = rec(
        estimand=TEXT,
        per=set_of(TEXT),
        at=TEXT,
        interval=opt(tup(TEXT, opt(TEXT))),
        level=opt(quantity),
        p=opt(TEXT),
        n=opt(TEXT),
    )
    records = (
        opt(choice("row", at=(TEXT,))),
        map_of(TEXT, level_mapping),
        opt(TEXT),
        opt(tup(seq(TEXT), TEXT)),
        map_of(TEXT, field_mapping),
        map_of(TEXT, TEXT),
        opt(tup(TEXT, map_of(TEXT, state))),
        opt(tup(TEXT, TEXT, TEXT)),
        set_of(TEXT),
    )
    t["results"] = rec(
        file=TEXT,
        for_every=seq(TEXT),
        format=choice("csv", "jsonl", "json"),
        shape=choice(records=records, reported=(seq(reported),)),
    )
    # 5.10
    t["semantics"] = map_of(TEXT, TEXT)
    return t


TYPES = types()
SECTIONS = {"study", "tasks", "design", "looks", "waivers", "semantics"}
LISTS = set(
    "factors models scaffolds tools fields sets values measures estimands picks intervals tests margins families gates "
    "hypotheses conclusions publish comparisons rankings scenarios results".split()
)
SEMANTICS = {
    "generator": "philox4x32-10/stafford13/1",
    "bootstrap": "shared-picks/1",
    "quantile": "type-7/1",
    "sign_test": "ties-dropped/1",
    "records": "states-15/1",
    "verdicts": "prespec-verdicts/1",
}


def check_leaf(path, value):
    """Raises Refused if the value does not have the structure that section 5 gives for the path."""
    section, slash, _ = path.partition("/")
    refuse_unless(section in (LISTS if slash else SECTIONS), "unknown leaf " + path)
    TYPES[section].check(value)
    if section == "semantics":
        refuse_unless(all(SEMANTICS.get(key) == version for key, version in value), "unknown version")
        refuse_unless(len(value) == len(SEMANTICS), "a version is missing")
