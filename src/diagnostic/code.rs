//! Every diagnostic code, its number and its title. Numbers are stable: a retired number is never used again.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal $title:literal;)*) => {
        /// A stable diagnostic code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $title] $name,)* }

        /// Number and title of a code; its page is `docs/errors/<number>.md`.
        #[derive(Debug, Clone, Copy)]
        pub struct CodeEntry {
            /// The code.
            pub code: Code,
            /// Such as `E0402`.
            pub number: &'static str,
            /// One line.
            pub title: &'static str,
            /// The page that `prespec explain` prints.
            pub page: &'static str,
        }

        /// All codes in the order of their numbers.
        pub const CODES: &[CodeEntry] = &[$(CodeEntry {
            code: Code::$name,
            number: $number,
            title: $title,
            page: include_str!(concat!("../../docs/errors/", $number, ".md")),
        },)*];

        impl Code {
            /// Such as `E0402`.
            #[must_use]
            pub const fn number(self) -> &'static str {
                match self { $(Self::$name => $number,)* }
            }

            /// One line that names the class of mistake.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

codes! {
    // E01: the text itself.
    Unreadable = "E0100" "the file cannot be read as a spec";
    UnexpectedToken = "E0101" "something unexpected stands here";
    MissingToken = "E0102" "something is missing";
    Unclosed = "E0103" "a bracket, brace or string is not closed";
    UnknownKeyword = "E0104" "unknown keyword";
    ForeignSpelling = "E0105" "a spelling from another language";
    TrailingComma = "E0106" "a comma that nothing follows";
    MissingLanguage = "E0107" "the language version is missing or unknown";
    Planned = "E0108" "planned, not available";
    BadCharacter = "E0109" "a character that is not allowed";
    TooLarge = "E0110" "the spec is too large or too deeply nested";
    BadInclude = "E0111" "an include cannot be followed";
    RepeatedClause = "E0112" "a clause stands twice";
    MissingClause = "E0113" "a clause is missing";

    // E02: names.
    Undefined = "E0201" "undefined name";
    Duplicate = "E0202" "a name is declared twice";
    UnknownLevel = "E0203" "unknown level";
    AmbiguousLevel = "E0204" "a level name belongs to two factors";
    WrongKind = "E0205" "a name of the wrong kind";
    Shadowed = "E0206" "a name hides a built-in word";
    Confusable = "E0207" "two names look alike";
    BadName = "E0208" "a name of the wrong form";
    Unused = "E0209" "declared but never used";

    // E03: units, types and bounds.
    MixedUnits = "E0301" "units do not go together";
    MissingUnit = "E0302" "a number without its unit";
    Unreachable = "E0303" "a threshold that the measure cannot reach";
    ProportionAsDifference = "E0304" "a difference of proportions is written in pp";
    UnknownUnit = "E0305" "unknown unit";
    TypeMismatch = "E0306" "the wrong type of value";
    NotAllowedHere = "E0307" "an expression that does not belong here";
    BadNumber = "E0308" "a number that cannot be read exactly";
    ComparesFloat = "E0309" "an exact comparison of inexact values";

    // E04: decision rules.
    Hole = "E0401" "a result that no case covers";
    Overlap = "E0402" "a result that two cases claim";
    DeadCase = "E0403" "a case that can never be reached";
    OutsideFragment = "E0404" "a rule that cannot be decided exactly";
    SupportByAbsence = "E0405" "absence of evidence counted as evidence";
    DirectionMissing = "E0406" "two-sided evidence licenses a direction";
    VagueRelation = "E0407" "a relation without a number";
    BadOtherwise = "E0408" "`otherwise` gives a verdict without a reason";
    BadLabel = "E0409" "a label without a class";
    AmbiguousEvidence = "E0410" "evidence of more than one estimand or test";
    MissingEvidence = "E0411" "evidence that nothing provides";
    IsNot = "E0412" "`is not` outside an inconclusive case";
    TooHard = "E0413" "a rule too large to decide";

    // E05: evidence and the unit of analysis.
    SpreadAgainstZero = "E0501" "a spread compared with zero";
    PointOnly = "E0502" "a confirmatory rule without uncertainty";
    PseudoReplication = "E0503" "several records per unit without a collapse or a cluster";
    PairingMissing = "E0504" "pairing that the design does not provide";
    FewClusters = "E0505" "too few clusters";
    UndefinedMeasure = "E0506" "a measure that can be undefined";
    UnquantifiedFactor = "E0507" "a factor neither quantified nor pinned";
    EmptyScope = "E0508" "a scope without members";
    BadQuorum = "E0509" "a quorum that does not fit its members";
    SetsMissing = "E0510" "analysis sets not named";
    UnboundSelection = "E0511" "a selection that is not counted in the error rate";
    Unattainable = "E0512" "a test that cannot reach its level";
    Misleads = "E0513" "an interval that misleads here";
    OmittedVariation = "E0514" "a test that leaves out a variation";
    CoarseLikelihood = "E0515" "a likelihood that is too coarse here";
    EquivalenceRemote = "E0516" "equivalence that the plan can hardly show";

    // E06: families.
    NoFamily = "E0601" "confirmatory tests in no family";
    Miscounted = "E0602" "a family that is miscounted";
    AnyUncorrected = "E0603" "any of several without a correction";
    FamilyConflict = "E0604" "multiplicity stated in two ways";
    BoundsNotAdjusted = "E0605" "a family whose members decide by unadjusted bounds";
    AdjustedApart = "E0606" "differences and equivalence adjusted apart";

    // E07: design, inputs and results.
    CellNeverRun = "E0701" "a rule about cells that are never run";
    UnequalTools = "E0702" "compared arms have unequal tools";
    UnequalRepeats = "E0703" "unequal repeats compared";
    CountMismatch = "E0704" "the task file does not hold what is expected";
    BadInput = "E0705" "an input file cannot be used";
    BadPath = "E0706" "a path that is not allowed";
    BadPrompt = "E0707" "a prompt that cannot be used";
    ResultsIncomplete = "E0708" "results do not map what the study needs";
    BadDesign = "E0709" "a design that cannot be carried out";
    Unfilled = "E0710" "a number that an incorrect record may not have";

    // E08: completeness.
    Placeholder = "E0801" "a placeholder";
    NoRule = "E0802" "a hypothesis without a rule";
    GateWithoutThreshold = "E0803" "a gate without a threshold";
    MarginWithoutSource = "E0804" "a margin or value without a source";
    UnboundedLooks = "E0805" "looks without a maximum";
    NothingToJudge = "E0806" "a spec without a hypothesis";

    // E09: order and contradiction.
    Cycle = "E0901" "verdicts that wait for each other";
    Contradiction = "E0902" "hypotheses that cannot both be supported";
    ClaimAgainstRule = "E0903" "a claim whose sign differs from its rule";
    ExploratoryFeeds = "E0904" "an exploratory result feeds a confirmatory one";
    BadWaiver = "E0905" "a waiver that waives nothing";
}

impl Code {
    /// The code with this number, in any case.
    #[must_use]
    pub fn from_number(number: &str) -> Option<Self> {
        CODES.iter().find(|entry| entry.number.eq_ignore_ascii_case(number)).map(|entry| entry.code)
    }

    /// Whether `waive` may downgrade this refusal; only refusals about what a rule licenses can be waived.
    #[must_use]
    pub const fn waivable(self) -> bool {
        matches!(
            self,
            Self::SupportByAbsence
                | Self::DirectionMissing
                | Self::SpreadAgainstZero
                | Self::FewClusters
                | Self::AnyUncorrected
                | Self::Unattainable
                | Self::PseudoReplication
        )
    }
}
