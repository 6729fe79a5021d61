//! The command line: everything is in the library.

fn main() -> std::process::ExitCode {
    prespec::cli::run(std::env::args_os()).into()
}
