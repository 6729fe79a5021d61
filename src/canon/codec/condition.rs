//! The canonical form of rules.

use super::{Codec, CodecError, Members, Taking, record, variants, words};
use crate::canon::value::Value;
use crate::spec::{
    Case, CaseCondition, Class, Conclusion, Condition, EvidenceKind, EvidenceRef, Rule, Say, Term, VerdictClass,
};

words!(Class { Supported = "supported", Contradicted = "contradicted", Inconclusive = "inconclusive" });
words!(VerdictClass {
    Supported = "supported",
    Contradicted = "contradicted",
    Inconclusive = "inconclusive",
    Void = "void",
    NotEvaluated = "not_evaluated",
    NotEvaluable = "not_evaluable",
});
words!(EvidenceKind {
    Estimate = "estimate",
    Lower = "lower",
    Upper = "upper",
    P = "p",
    PAdjusted = "p_adjusted",
    N = "n",
    Clusters = "clusters",
});
record!(EvidenceRef { about = "about", method = "method", kind = "kind" });
variants!(Term {
    Constant(value) = "number",
    Margin(name) = "margin",
    MarginHigh(name) = "margin_high",
    Value(name) = "value",
    Evidence(evidence) = "evidence",
    CountMembers(factors, condition) = "count_members",
    Arithmetic(left, op, right) = "arithmetic",
    Negate(inner) = "negate",
    Abs(inner) = "abs",
    Minimum(parts) = "minimum",
    Maximum(parts) = "maximum",
});
variants!(Condition {
    Compare(left, relation, right) = "compare",
    Within(inner, low, high) = "within",
    Is { subject, clause, negated, label, some } = "is",
    Not(inner) = "not",
    And(parts) = "and",
    Or(parts) = "or",
});
variants!(CaseCondition { When(condition) = "when", Otherwise = "otherwise" });
record!(Case { label = "label", class = "class", when = "when", because = "because" });

/// `{in_order, cases}`: the cases of an unordered rule are a set.
impl Codec for Rule {
    fn encode(&self) -> Result<Option<Value>, CodecError> {
        let mut members = Members::default();
        members.put("in_order", &self.in_order)?;
        if self.in_order {
            members.put("cases", &self.cases)?;
        } else {
            members.put_set("cases", &self.cases)?;
        }
        Ok(Some(members.finish()))
    }

    fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
        let mut members = Taking::new(value)?;
        let in_order = members.take("in_order")?;
        let cases = if in_order { members.take("cases")? } else { members.take_set("cases")? };
        members.finish(&["in_order", "cases"])?;
        Ok(Self { in_order, cases })
    }
}

record!(Say { sentence = "sentence", when = "when" });
record!(Conclusion { cases = "cases" });
