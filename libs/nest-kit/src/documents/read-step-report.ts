import { hash } from 'node:crypto';
import { createReportReader, type Digest, type ReportResult, type StepReport } from '@muster/inventory';

/** `sha256:<64 hex digits>` of the text in UTF-8, as the object store names documents. */
export const sha256Digest: Digest = (text) => `sha256:${hash('sha256', text, 'hex')}`;

const READERS = {
  physical: createReportReader({ keepsVirtualInterfaces: false, digest: sha256Digest }),
  all: createReportReader({ keepsVirtualInterfaces: true, digest: sha256Digest }),
};

/** Reads the output of a step. `keepsVirtualInterfaces`: bridges, tunnels and the like count as network interfaces. */
export function readStepReport(step: StepReport, keepsVirtualInterfaces: boolean): ReportResult {
  return READERS[keepsVirtualInterfaces ? 'all' : 'physical'](step);
}
