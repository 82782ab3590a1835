"""The checks against signed checkpoints (`checkpoint`) and kept receipts (`receipt`)."""

import msgspec

from domain.audit.checkpoints import Checkpoint, CheckSignature, checkpoint_of, digest_of_match, fault_of
from domain.audit.evidence import Evidence, Receipt
from domain.audit.report import Check


def check_checkpoint(evidence: Evidence, status: str, is_good: CheckSignature) -> Check:
    """Compare the checkpoint with the events. `status` is that of the match; empty if it is unknown."""
    if evidence.checkpoint is None:
        return Check("checkpoint", "pending", None, "there is no checkpoint")
    try:
        checkpoint = checkpoint_of(evidence.checkpoint)
    except (msgspec.ValidationError, AttributeError) as error:
        return Check("checkpoint", "failed", None, f"it is no checkpoint: {error}")
    fault = fault_of(checkpoint, is_good) or _of_another(checkpoint, evidence.match_id)
    if fault:
        return Check("checkpoint", "failed", None, fault)
    return _compared(checkpoint, evidence, status)


def _of_another(checkpoint: Checkpoint, match_id: str) -> str:
    if checkpoint.match_digest != digest_of_match(match_id) or checkpoint.match_id not in (None, match_id):
        return "the checkpoint is of another match"
    return ""


def _compared(checkpoint: Checkpoint, evidence: Evidence, status: str) -> Check:
    there = len(evidence.events)
    if checkpoint.version != there:
        detail = f"{checkpoint.version} events were signed, {there} are there"
        return Check("checkpoint", "failed", min(checkpoint.version, there) + 1, detail)
    last = evidence.events[-1] if there else {}
    if last.get("hash") != checkpoint.head_hash:
        return Check("checkpoint", "failed", there, "another history was signed: its last hash differs")
    told = (checkpoint.rules_version, checkpoint.time, checkpoint.status)
    if told != (last.get("rules_version"), last.get("time"), status or checkpoint.status):
        return Check("checkpoint", "failed", there, "what was signed says something else of the end")
    return Check("checkpoint", "passed")


def check_receipt(evidence: Evidence, receipt: Receipt) -> Check:
    """Check that a kept receipt belongs to this history."""
    there = len(evidence.events)
    if not 1 <= receipt.version <= there:
        detail = f"the receipt is of event {receipt.version}, {there} are there"
        return Check("receipt", "failed", there + 1, detail)
    if evidence.events[receipt.version - 1].get("hash") != receipt.hash:
        return Check("receipt", "failed", receipt.version, "the receipt is of another history")
    return Check("receipt", "passed")
