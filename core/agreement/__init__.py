"""Inter-annotator agreement: span F1, κ, Krippendorff's α and α_U, γ; each may be undefined and says why.

Docs: docs/agreement.md.
"""

from core.agreement.reliability_data import AnnotatedDocument, ReliabilityData, VersionsDiffer, from_versions
from core.agreement.report import MEASURES, AgreementReport, Row, agreement
from core.agreement.result import Reason, Result

__all__ = [
    "MEASURES",
    "AgreementReport",
    "AnnotatedDocument",
    "Reason",
    "ReliabilityData",
    "Result",
    "Row",
    "VersionsDiffer",
    "agreement",
    "from_versions",
]
