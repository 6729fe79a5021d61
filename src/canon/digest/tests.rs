//! Golden values, computed with another implementation's SHA-256 from the formulas in `docs/commitment.md`.

use super::super::leaf::{Leaf, Leaves};
use super::*;

fn golden() -> Leaves {
    let plan = Value::object([("n", Value::integer(40).unwrap())]).unwrap();
    let salt = Salt::from_bytes([7; 32]);
    Leaves::new([
        Leaf::open("plan", plan).unwrap(),
        Leaf::sealed("hypotheses/S1", Value::text("greater").unwrap(), salt).unwrap(),
    ])
    .unwrap()
}

#[test]
fn lengths_keep_parts_apart() {
    assert_eq!(pae("t", &[b"ab", b"", b"c"]), b"t 2 ab 0  1 c");
    assert_ne!(pae("t", &[b"ab", b"c"]), pae("t", &[b"a", b"bc"]));
    assert_eq!(pae("t", &[]), b"t");
}

#[test]
fn digests_have_their_golden_values() {
    let leaves = golden();
    assert_eq!(
        leaves.get("plan").unwrap().digest().to_hex(),
        "1c751ff9a1f15a7efd326cb46a644b53647edfdad8ba1a126107a199565f6419"
    );
    assert_eq!(
        leaves.get("hypotheses/S1").unwrap().digest().to_hex(),
        "cb17e1f2dddf75492840ab523d8981353dcb77be5bf2ab0a2730e9679e56fd03"
    );
    assert_eq!(
        leaves.spec_digest("prespec-lang/1").to_string(),
        "sha256:f6804261a895427ce6949dee3bb1b9b20eac38b12ffc6aaefd49907145998dd5"
    );
    assert_ne!(leaves.spec_digest("prespec-lang/1"), leaves.spec_digest("prespec-lang/2"));
    let id = freeze_id(b"abc");
    assert_eq!(id.to_string(), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(id.id16(), "ba7816bf8f01cfea");
    assert_eq!(hex(&seed(&id, None, "arm=a", 3)), "2f6da8d7e5aa5e442d2c3605c0de2771d04efe71574a8baaadbe0b932fae7f05");
    assert_eq!(
        hex(&seed(&id, Some(&[0xff; 32]), "arm=a", 3)),
        "ba1e877d64c44b39f1b384bf1f0ec4959e28ced3e946984deb594f406a8b2535"
    );
}

#[test]
fn every_part_of_a_leaf_moves_its_digest() {
    let value = Value::integer(1).unwrap();
    let base = leaf_digest("plan", None, &value);
    let salt = Salt::from_bytes([0; 32]);
    assert_ne!(base, leaf_digest("plam", None, &value));
    assert_ne!(base, leaf_digest("plan", Some(&salt), &value));
    assert_ne!(base, leaf_digest("plan", None, &Value::integer(2).unwrap()));
    assert_ne!(base, leaf_digest("plan", None, &Value::text("1").unwrap()));
}

#[test]
fn only_the_known_prefix_is_read() {
    let digest = freeze_id(b"abc");
    assert_eq!(digest.to_string().parse(), Ok(digest));
    let hex = digest.to_hex();
    let short = "0".repeat(63);
    let unknown = |text: &str| text.parse::<FreezeId>().unwrap_err();
    assert_eq!(unknown(&format!("sha512:{hex}")), DigestError::UnknownPrefix { prefix: "sha512".into() });
    assert_eq!(unknown(&format!("SHA256:{hex}")), DigestError::UnknownPrefix { prefix: "SHA256".into() });
    assert!(matches!(unknown(&hex), DigestError::UnknownPrefix { .. }));
    for bad in [hex.to_uppercase(), short.clone(), format!("{hex}0"), format!(" {short}")] {
        assert_eq!(unknown(&format!("sha256:{bad}")), DigestError::NotHex, "{bad}");
    }
}
