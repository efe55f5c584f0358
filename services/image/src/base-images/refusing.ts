import { BootImageError, type BootImageErrorCode } from '@muster/boot-image';
import { type ProblemCode, RefusalError } from '@muster/problems';

/** Errors that the user can correct. All other errors are faults of the base image. */
const CODES: ReadonlyMap<BootImageErrorCode, ProblemCode> = new Map([
  ['config_too_large', 'too-large'],
  ['ramdisk_too_large', 'too-large'],
  ['kargs_too_long', 'invalid-input'],
  ['hostile_karg', 'invalid-input'],
  ['hostile_url', 'invalid-input'],
  ['no_kargs_area', 'invalid-input'],
  ['no_minimal_image', 'invalid-input'],
]);

/** Runs the work; what it finds wrong with an image becomes a refusal. */
export async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BootImageError)) throw error;
    throw new RefusalError({ code: CODES.get(error.code) ?? 'internal', reason: error.message });
  }
}
