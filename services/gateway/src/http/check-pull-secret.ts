import { pullSecretError } from '@muster/assisted-api';
import { RefusalError } from '@muster/problems';

/** Throws RefusalError `invalid-input` when the secret cannot be one; its words never hold a part of it. */
export function checkPullSecret(pullSecret: string): void {
  const reason = pullSecretError(pullSecret);
  if (reason) throw new RefusalError({ code: 'invalid-input', reason, subject: 'pull_secret' });
}
