import type { ReportResult, StepReport } from '@muster/inventory';
import { DOCUMENT_TASKS, type DocumentWorkers } from './document-workers';
import { readStepReport } from './read-step-report';

/** Maximum length of an output that is read in the main thread, in characters, because a worker would add more time. */
const INLINE_MAX_CHARACTERS = 64 * 1024;

/** Reads the output of a step. */
export type ReadReport = (step: StepReport) => Promise<ReportResult>;

/** Injection token of a `ReadReport`. */
export const READ_REPORT = Symbol('ReadReport');

/** The reader of step outputs. Long outputs are read in a worker. `keepsVirtualInterfaces`: as in `readStepReport`. */
export const createReportReader =
  (workers: DocumentWorkers, keepsVirtualInterfaces: boolean): ReadReport =>
  (step) =>
    step.output.length > INLINE_MAX_CHARACTERS
      ? workers.runAlone(DOCUMENT_TASKS.readStepReport, step.output.length, step, keepsVirtualInterfaces)
      : Promise.resolve(readStepReport(step, keepsVirtualInterfaces));
