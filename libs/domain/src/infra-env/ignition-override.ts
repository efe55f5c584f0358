import { createIgnitionArchive } from '@muster/boot-image';
import type { InfraEnvSettings, Plain } from '@muster/contracts';
import { parseIgnitionOverride } from '@muster/ignition-config';
import type { Refusal } from '@muster/problems';

/** Room for the config in every image: a gzip of cpio. */
export const IGNITION_ARCHIVE_BYTES_MAX = 256 * 1024;
/** What the rest of an ordinary discovery config takes in it. */
const OWN_PART_BYTES = 16 * 1024;

const SUBJECT = 'ignition_config_override';

/** What is wrong with an override, as it is given; undefined when it can be used or did not change. */
export function ignitionOverrideProblem(
  given: Plain<InfraEnvSettings>,
  before: Plain<InfraEnvSettings> | undefined,
): Omit<Refusal, 'code' | 'subject'> | undefined {
  const text = given.ignitionConfigOverride ?? '';
  if (text === '' || text === before?.ignitionConfigOverride) return undefined;
  const parsed = parseIgnitionOverride(text, SUBJECT);
  if (parsed.kind === 'refused') return parsed.refusal;
  const bytes = createIgnitionArchive(new TextEncoder().encode(text)).length;
  const bytesMax = IGNITION_ARCHIVE_BYTES_MAX - OWN_PART_BYTES;
  if (bytes <= bytesMax) return undefined;
  return {
    reason: `${SUBJECT} takes ${bytes} bytes of the image when it is compressed, and ${bytesMax} are there for it; let hosts fetch large files from a server instead.`,
  };
}
