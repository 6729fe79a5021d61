//! Result files against a plan: every refusal, the join, its digest, and published data of several shapes.

mod build;
mod any;
mod cases;
mod plan;
mod refusals;
mod scale;
