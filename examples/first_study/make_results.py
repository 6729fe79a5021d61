"""Writes data/tasks.csv and results/results.csv: made-up answers from a fixed hash, so that anyone gets the same bytes."""
import hashlib
from pathlib import Path

HERE = Path(__file__).parent
P_CORRECT = {("plain", "easy"): 0.80, ("checked", "easy"): 0.97, ("plain", "hard"): 0.35, ("checked", "hard"): 0.70}


def uniform(*parts):
    """A number in [0, 1) that depends on the parts alone."""
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


tasks = [(f"sum-{n:02}", "easy" if n <= 20 else "hard") for n in range(1, 41)]
rows = ["task,prompt,try,status,correct"]
for task, kind in tasks:
    for prompt in ("plain", "checked"):
        for attempt in (1, 2):
            if uniform("fails", task, prompt, attempt) < 0.02:
                rows.append(f"{task},{prompt},{attempt},failed,")
                continue
            hardness = 0.6 * uniform("task", task) + 0.4 * uniform("try", task, prompt, attempt)
            rows.append(f"{task},{prompt},{attempt},done,{int(hardness < P_CORRECT[prompt, kind])}")
(HERE / "data").mkdir(exist_ok=True)
(HERE / "results").mkdir(exist_ok=True)
(HERE / "data/tasks.csv").write_text("task_id,kind\n" + "".join(f"{t},{k}\n" for t, k in tasks))
(HERE / "results/results.csv").write_text("\n".join(rows) + "\n")
