//! A study whose results are fuzzed: the first study of the examples, with its results block turned to another format.

use prespec::check::analyse;
use prespec::plan::{Task, read_tasks};
use prespec::records::{join, read, records_digest};
use prespec::spec::Spec;
use std::fs;
use std::path::PathBuf;

const TEXT: &str = include_str!("../../examples/first_study/first_study.prespec");
const TASKS: &[u8] = include_bytes!("../../examples/first_study/data/tasks.csv");
/// More bytes take longer and find nothing else.
pub const LONGEST: usize = 64 << 10;

/// The study and the one file that is written anew for every input.
pub struct Study {
    spec: Spec,
    tasks: Vec<Task>,
    file: PathBuf,
}

impl Study {
    /// `mapping` stands in the results block for `file "results.csv"`; `name` is the file it names.
    pub fn new(mapping: &str, name: &str) -> Self {
        let text = TEXT.replace(r#"file "results.csv""#, mapping);
        let analysis = analyse("study.prespec", &text, &mut |_| Err("nothing is included".to_owned()));
        let spec = analysis.spec.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics));
        let tasks = spec.tasks.as_ref().map(|tasks| read_tasks(tasks, Some(TASKS)));
        let tasks = tasks.expect("a task list").expect("the tasks of the example");
        let folder = std::env::temp_dir().join(format!("prespec-fuzz-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for temporary files");
        Self { spec, tasks, file: folder.join(name) }
    }

    /// Reads and joins the bytes. What is accepted covers the plan exactly and is the same when read again; what is
    /// refused says why.
    pub fn judge(&self, bytes: &[u8]) {
        fs::write(&self.file, bytes).expect("room for temporary files");
        let digest = || {
            let received = read(&self.spec, std::slice::from_ref(&self.file))?;
            let joined = join(&self.spec, &self.tasks, received)?;
            assert_eq!(joined.len(), 160, "forty tasks, two prompts, two tries");
            Ok(records_digest(&joined))
        };
        let first: Result<String, Vec<prespec::records::RecordError>> = digest();
        if let Err(errors) = &first {
            assert!(!errors.is_empty() && errors.iter().all(|error| !error.to_string().is_empty()));
        }
        assert_eq!(first.ok(), digest().ok());
    }
}
