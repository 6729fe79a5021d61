//! An order in which everything stands after what it needs, or the cycle that prevents it. Iterative, so that a long chain
//! costs no stack.

use std::collections::BTreeMap;

/// Nodes sorted so that needs come first, and each cycle found as a path that returns to its start.
pub(super) struct Order {
    /// Every node that is on no cycle and needs none that is.
    pub sorted: Vec<String>,
    /// Cycles, each from its smallest name on.
    pub cycles: Vec<Vec<String>>,
}

/// Sorts a graph given as node to what it needs; needs that are no nodes are left out.
pub(super) fn order(needs: &BTreeMap<String, Vec<String>>) -> Order {
    let mut waiting: BTreeMap<&str, usize> = BTreeMap::new();
    let mut dependants: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (node, list) in needs {
        let known = list.iter().filter(|need| needs.contains_key(*need));
        waiting.insert(node, known.clone().count());
        for need in known {
            dependants.entry(need).or_default().push(node);
        }
    }
    let mut ready: Vec<&str> = waiting.iter().filter(|(_, count)| **count == 0).map(|(node, _)| *node).rev().collect();
    let mut sorted = Vec::new();
    while let Some(node) = ready.pop() {
        sorted.push(node.to_owned());
        for dependant in dependants.get(node).into_iter().flatten() {
            if let Some(count) = waiting.get_mut(dependant) {
                *count -= 1;
                if *count == 0 {
                    ready.push(dependant);
                }
            }
        }
    }
    waiting.retain(|_, count| *count > 0);
    Order { sorted, cycles: cycles(needs, &waiting) }
}

/// Follows the first blocked need of each blocked node until a node returns.
fn cycles(needs: &BTreeMap<String, Vec<String>>, blocked: &BTreeMap<&str, usize>) -> Vec<Vec<String>> {
    let mut visited: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (turn, start) in blocked.keys().enumerate() {
        let mut path: Vec<&str> = Vec::new();
        let mut at = *start;
        while !visited.contains_key(at) {
            visited.insert(at, turn);
            path.push(at);
            let next = needs.get(at).into_iter().flatten().find(|need| blocked.contains_key(need.as_str()));
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        // A node seen in this very turn closes a cycle; one from an earlier turn leads into a known one.
        if visited.get(at) == Some(&turn)
            && let Some(from) = path.iter().position(|node| *node == at)
        {
            let mut cycle: Vec<String> = path.iter().skip(from).map(|node| (*node).to_owned()).collect();
            let smallest = cycle.iter().enumerate().min_by_key(|(_, node)| (*node).clone()).map_or(0, |(at, _)| at);
            cycle.rotate_left(smallest);
            found.push(cycle);
        }
    }
    found
}

/// `a needs b needs a`
pub(super) fn path(cycle: &[String]) -> String {
    let mut names: Vec<String> = cycle.iter().map(|name| format!("`{name}`")).collect();
    names.extend(names.first().cloned());
    names.join(" needs ")
}
