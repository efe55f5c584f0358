import { DEFAULT_REQUIREMENTS, type RequirementsTable } from '@muster/validation-rules';

/** What machines are measured against when their disks are shown. */
export interface MachineLimits {
  readonly requirements: RequirementsTable;
  /** Product names of machines that are workers of a smaller kind. */
  readonly edgeWorkerProducts: readonly string[];
}

/** The defaults of the settings, which are the same in the other services. */
export const DEFAULT_MACHINE_LIMITS: MachineLimits = {
  requirements: DEFAULT_REQUIREMENTS,
  edgeWorkerProducts: ['BlueField SoC'],
};
