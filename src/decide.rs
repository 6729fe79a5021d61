//! Evidence, rules, quantifiers, gates, families, conclusions: from records to verdicts.
