import type { Refusal } from '@muster/problems';
import { formatViolation } from '@muster/schema';
import { type Digest, type Report, type ReportReader, type StepOutput, utf8Length } from './report';
import { domainsReader, freeAddressesReader, vipsReader } from './reports/address.reports';
import { connectivityReader } from './reports/connectivity.report';
import { apiVipReader, tangReader } from './reports/endpoint.reports';
import { inventoryReader } from './reports/inventory.report';
import { diskSpeedReader, imagesReader } from './reports/preparation.reports';
import { clockReader, ntpReader } from './reports/time.reports';

export interface StepReport extends StepOutput {
  readonly stepType: string;
}

export type ReportResult =
  { readonly kind: 'read'; readonly report: Report } | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Returns a function that reads the output of a step by its step type. */
export function createReportReader(options: {
  /** Whether bridges, tunnels and similar interfaces count as network interfaces of the host. */
  readonly keepsVirtualInterfaces: boolean;
  readonly digest: Digest;
}): (step: StepReport) => ReportResult {
  const readers = new Map<string, ReportReader>(
    [
      inventoryReader(options.keepsVirtualInterfaces),
      connectivityReader,
      ntpReader,
      clockReader,
      diskSpeedReader,
      imagesReader,
      freeAddressesReader,
      domainsReader,
      vipsReader,
      tangReader,
      apiVipReader,
    ].map((reader) => [reader.stepType, reader]),
  );
  return (step) => {
    const reader = readers.get(step.stepType);
    if (!reader)
      return refused({
        code: 'invalid-input',
        reason: `Step type "${step.stepType.slice(0, 100)}" has no report. Allowed: ${[...readers.keys()].join(', ')}.`,
        subject: 'step_type',
        allowed: [...readers.keys()],
      });
    if (utf8Length(step.output) > reader.maxBytes)
      return refused({
        code: 'too-large',
        reason: `The output of ${step.stepType} is larger than the allowed ${reader.maxBytes} bytes.`,
        subject: 'output',
      });
    const result = reader.read(step, options.digest);
    if (result.kind === 'read') return result;
    return refused({
      code: 'invalid-input',
      reason: `The output of ${step.stepType} is not valid: ${formatViolation(result.violation)}.`,
      subject: result.violation.path,
    });
  };
}

const refused = (refusal: Refusal): ReportResult => ({ kind: 'refused', refusal });
