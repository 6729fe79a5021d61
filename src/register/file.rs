//! The frozen file: its fields, their canonical value, its bytes and its name.
//!
//! Owns `prespec-freeze/1`. Pure: time, version and repository state are handed in. Must not judge order or evidence.

use std::collections::BTreeMap;

use crate::canon::digest::{ContentId, FreezeId, SpecDigest, freeze_id, spec_digest};
use crate::canon::leaf::{LeafPath, Leaves, Manifest};
use crate::canon::value::{CANON, Value, ValueError};
use crate::canon::write::encode;

use super::finding::Finding;
use super::inputs::InputPath;

mod check;
mod fields;
mod parts;

pub use check::{WHY_STRICT, read_frozen};
pub use fields::MAX_FINDINGS;
pub use parts::{
    Access, AccessLevel, Change, Changed, GitHint, Kind, RunLog, Source, TimeError, Tool, UtcTime, Waiver, Warned,
};

#[cfg(test)]
pub(crate) mod tests;

/// The name of this file format.
pub const FORMAT: &str = "prespec-freeze/1";
/// The last part of a frozen file's name.
pub const SUFFIX: &str = ".freeze.json";
/// The largest number in a chain: file names carry four digits.
pub const MAX_SEQ: u16 = 9_999;

/// What a frozen file says, as typed fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreezeFile {
    /// The language version, such as `prespec-lang/1`.
    pub lang: String,
    /// The study's id: the folder it is frozen in.
    pub study: String,
    /// Its place in the chain, from 0.
    pub seq: u16,
    /// The freeze before it; none at 0.
    pub prev: Option<FreezeId>,
    /// What the freeze is; follows from `seq`, `runlog` and `access`.
    pub kind: Kind,
    /// Every leaf's path, state and digest.
    pub manifest: Manifest,
    /// The values of the open leaves.
    pub open: BTreeMap<LeafPath, Value>,
    /// The source text for people, main file first; none when a leaf is sealed.
    pub sources: Vec<Source>,
    /// When the author says it was frozen.
    pub claimed_time: UtcTime,
    /// What the authors had seen of the data.
    pub access: Access,
    /// How long the run log was, and its head.
    pub runlog: RunLog,
    /// Leaf by leaf, what differs from the freeze before; none at 0.
    pub changes: Option<Vec<Change>>,
    /// Why it was changed; none at 0.
    pub reason: Option<String>,
    /// What wrote the file.
    pub tool: Tool,
    /// The commit it was frozen on, if it was frozen in a repository that has one.
    pub git: Option<GitHint>,
    /// The authors, in their order.
    pub authors: Vec<String>,
    /// Warnings that stood when it was frozen.
    pub warnings: Vec<Warned>,
    /// Warnings that were waived, with the reason.
    pub waivers: Vec<Waiver>,
}

/// What a first freeze is made from.
#[derive(Clone, Debug)]
pub struct Registration {
    /// The language version.
    pub lang: String,
    /// The study's id.
    pub study: String,
    /// The parts of the spec.
    pub leaves: Leaves,
    /// The source text, main file first; left out when a leaf is sealed.
    pub sources: Vec<Source>,
    /// When the author says it was frozen.
    pub claimed_time: UtcTime,
    /// What the authors had seen of the data.
    pub access: Access,
    /// How long the run log was, and its head.
    pub runlog: RunLog,
    /// What writes the file.
    pub tool: Tool,
    /// The commit it is frozen on.
    pub git: Option<GitHint>,
    /// The authors, in their order.
    pub authors: Vec<String>,
    /// Warnings that stand.
    pub warnings: Vec<Warned>,
    /// Warnings that were waived.
    pub waivers: Vec<Waiver>,
}

impl Registration {
    /// Makes the first freeze of a study; refuses what [`read_frozen`] would refuse.
    pub fn freeze(self) -> Result<Frozen, Vec<Finding>> {
        let manifest = self.leaves.manifest();
        let sealed = self.leaves.iter().any(|leaf| leaf.salt().is_some());
        let open = self.leaves.iter().filter(|leaf| leaf.salt().is_none());
        let open = open.map(|leaf| (leaf.path().clone(), leaf.value().clone())).collect();
        FreezeFile {
            lang: self.lang,
            study: self.study,
            seq: 0,
            prev: None,
            kind: Kind::Registration,
            manifest,
            open,
            sources: if sealed { Vec::new() } else { self.sources },
            claimed_time: self.claimed_time,
            access: self.access,
            runlog: self.runlog,
            changes: None,
            reason: None,
            tool: self.tool,
            git: self.git,
            authors: self.authors,
            warnings: self.warnings,
            waivers: self.waivers,
        }
        .freeze()
    }
}

impl FreezeFile {
    /// The digest of the meaning, from the manifest.
    #[must_use]
    pub fn spec_digest(&self) -> SpecDigest {
        spec_digest(&self.lang, &self.manifest)
    }

    /// What changed, leaf by leaf, from an earlier manifest to this one, in byte order of the paths.
    #[must_use]
    pub fn changes_from(&self, earlier: &Manifest) -> Vec<Change> {
        parts::changes(earlier, &self.manifest)
    }

    /// The canonical bytes with their line end, their digest and the file name; read back and checked.
    pub fn freeze(mut self) -> Result<Frozen, Vec<Finding>> {
        let sorted = self.sort_sets();
        sorted.map_err(|error| vec![check::refused(&self.study, &error)])?;
        let value = self.to_value().map_err(|error| vec![check::refused(&self.study, &error)])?;
        let mut bytes = encode(&value);
        bytes.push(b'\n');
        let name = file_name(self.seq, &freeze_id(&bytes));
        // Reading it back applies every rule of a frozen file in one place and shows that nothing was lost.
        let read = read_frozen(&bytes, &name)?;
        if read.file == self { Ok(read) } else { Err(vec![check::unfaithful(&name)]) }
    }

    /// Brings the lists that are sets into their one order.
    fn sort_sets(&mut self) -> Result<(), ValueError> {
        self.warnings = parts::sorted(std::mem::take(&mut self.warnings), Warned::to_value)?;
        self.waivers = parts::sorted(std::mem::take(&mut self.waivers), Waiver::to_value)?;
        Ok(())
    }

    fn to_value(&self) -> Result<Value, ValueError> {
        let text = |text: &str| Value::text(text);
        let mut members = vec![
            ("format", text(FORMAT)?),
            ("canon", text(CANON)?),
            ("lang", text(&self.lang)?),
            ("study", text(&self.study)?),
            ("seq", Value::integer(self.seq)?),
            ("kind", text(self.kind.word())?),
            ("spec_digest", text(&self.spec_digest().to_string())?),
            ("manifest", self.manifest.to_value()),
            ("open", open_value(&self.open)?),
            ("sources", parts::list(&self.sources, Source::to_value)?),
            ("claimed_time", text(&self.claimed_time.to_string())?),
            ("access", self.access.to_value()?),
            ("runlog", self.runlog.to_value()?),
            ("tool", self.tool.to_value()?),
            ("authors", parts::list(&self.authors, |author| text(author))?),
            ("warnings", Value::set(parts::values(&self.warnings, Warned::to_value)?)),
            ("waivers", Value::set(parts::values(&self.waivers, Waiver::to_value)?)),
        ];
        if let Some(prev) = &self.prev {
            members.push(("prev", text(&prev.to_string())?));
        }
        if let Some(changes) = &self.changes {
            members.push(("changes", parts::list(changes, Change::to_value)?));
        }
        if let Some(reason) = &self.reason {
            members.push(("reason", text(reason)?));
        }
        if let Some(git) = &self.git {
            members.push(("git", git.to_value()?));
        }
        Value::object(members)
    }
}

fn open_value(open: &BTreeMap<LeafPath, Value>) -> Result<Value, ValueError> {
    let row = |(path, value): (&LeafPath, &Value)| Ok(Value::array([Value::text(path.as_str())?, value.clone()]));
    Ok(Value::Array(open.iter().map(row).collect::<Result<_, ValueError>>()?))
}

/// The name of a frozen file: four digits of its number, 16 hexadecimal digits of its id.
#[must_use]
pub fn file_name(seq: u16, id: &FreezeId) -> String {
    format!("{seq:04}-{}{SUFFIX}", id.id16())
}

/// A frozen file that was checked: fields, bytes, id and name agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frozen {
    file: FreezeFile,
    bytes: Vec<u8>,
    id: FreezeId,
}

impl Frozen {
    /// What it says.
    #[must_use]
    pub fn file(&self) -> &FreezeFile {
        &self.file
    }

    /// Its bytes, with the line feed at the end.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The SHA-256 of its bytes.
    #[must_use]
    pub fn id(&self) -> FreezeId {
        self.id
    }

    /// Its file name.
    #[must_use]
    pub fn name(&self) -> String {
        file_name(self.file.seq, &self.id)
    }

    /// The digest of the meaning.
    #[must_use]
    pub fn spec_digest(&self) -> SpecDigest {
        self.file.spec_digest()
    }
}

/// The head of a run log: the SHA-256 of its last line.
pub type LogHead = ContentId;

/// A source file's path, under the rules for inputs.
pub type SourcePath = InputPath;
