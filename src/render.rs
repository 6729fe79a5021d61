//! Diagnostics rendered for a terminal, as JSON and as SARIF. Owns presentation; decides nothing.
