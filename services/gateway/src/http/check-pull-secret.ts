import { pullSecretError } from '@muster/assisted-api';
import { RefusalError } from '@muster/problems';

/** Throws RefusalError `invalid-input` when the pull secret is not valid; the reason never contains a part of it. */
export function checkPullSecret(pullSecret: string): void {
  const reason = pullSecretError(pullSecret);
  if (reason) throw new RefusalError({ code: 'invalid-input', reason, subject: 'pull_secret' });
}
