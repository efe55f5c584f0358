import { randomBytes, randomUUID } from 'node:crypto';
import type { Secrets } from '@muster/ports';

/** Opens the secrets for one test. They may already contain others. `reopen` opens them again with the same data. */
export type OpenSecrets = () => Promise<{
  readonly secrets: Secrets;
  close(): Promise<void>;
  reopen?(): Promise<Secrets>;
}>;

/** Tests the contract of every Secrets. Call it at the top level of a spec. */
export const secretsContract = (name: string, open: OpenSecrets): void => {
  describe(`${name} meets the contract of secrets`, () => {
    let opened: Awaited<ReturnType<OpenSecrets>>;
    let secrets: Secrets;
    let scope: string;
    beforeEach(async () => {
      opened = await open();
      secrets = opened.secrets;
      scope = randomUUID();
    });
    afterEach(() => opened.close());

    it('opens what was sealed, with any bytes and any length', async () => {
      for (const bytes of [0, 1, 16, 100_000]) {
        const plaintext = randomBytes(bytes);
        await secrets.seal(scope, `of-${bytes}`, plaintext);
        expect((await secrets.open(scope, `of-${bytes}`))?.equals(plaintext)).toBe(true);
      }
    });

    it('returns undefined for a value that was never sealed', async () => {
      expect(await secrets.open(scope, 'kubeconfig')).toBeUndefined();
      await secrets.seal(scope, 'kubeconfig', Buffer.from('x'));
      expect(await secrets.open(scope, 'pull-secret')).toBeUndefined();
      expect(await secrets.open(randomUUID(), 'kubeconfig')).toBeUndefined();
    });

    it('replaces an older value', async () => {
      await secrets.seal(scope, 'token', Buffer.from('old, and longer than the new one'));
      await secrets.seal(scope, 'token', Buffer.from('new'));
      expect((await secrets.open(scope, 'token'))?.toString()).toBe('new');
    });

    it('keeps the value when the caller overwrites the buffer', async () => {
      const plaintext = Buffer.from('wiped after use');
      await secrets.seal(scope, 'token', plaintext);
      plaintext.fill(0);
      const handedOut = await secrets.open(scope, 'token');
      expect(handedOut?.toString()).toBe('wiped after use');
      handedOut?.fill(0);
      expect((await secrets.open(scope, 'token'))?.toString()).toBe('wiped after use');
    });

    it('accepts any text as scope and name and separates them', async () => {
      const names = ['../../escape', 'a/b', 'a', '', 'ünïcödé', '.', 'x'.repeat(5_000), 'a\u0000b'];
      for (const [n, odd] of names.entries()) {
        await secrets.seal(`${scope}${odd}`, odd, Buffer.from(`in odd scope ${n}`));
        await secrets.seal(scope, odd, Buffer.from(`odd name ${n}`));
      }
      for (const [n, odd] of names.entries()) {
        expect((await secrets.open(scope, odd))?.toString()).toBe(`odd name ${n}`);
        if (odd !== '') expect((await secrets.open(`${scope}${odd}`, odd))?.toString()).toBe(`in odd scope ${n}`);
      }
    });

    it('seals many values concurrently in a new scope', async () => {
      const names = Array.from({ length: 20 }, (_, n) => `secret-${n}`);
      await Promise.all(names.map((secret) => secrets.seal(scope, secret, Buffer.from(secret))));
      for (const secret of names) expect((await secrets.open(scope, secret))?.toString()).toBe(secret);
    });

    it('opens no value of a destroyed scope, and keeps other scopes', async () => {
      const other = randomUUID();
      await secrets.seal(scope, 'kubeconfig', Buffer.from('mine'));
      await secrets.seal(other, 'kubeconfig', Buffer.from('theirs'));
      await secrets.shred(scope);
      await secrets.shred(scope);
      expect(await secrets.open(scope, 'kubeconfig')).toBeUndefined();
      expect((await secrets.open(other, 'kubeconfig'))?.toString()).toBe('theirs');
    });

    it('can use a destroyed scope again, without the old values', async () => {
      await secrets.seal(scope, 'old', Buffer.from('old'));
      await secrets.shred(scope);
      await secrets.seal(scope, 'new', Buffer.from('new'));
      expect(await secrets.open(scope, 'old')).toBeUndefined();
      expect((await secrets.open(scope, 'new'))?.toString()).toBe('new');
    });

    it('seals the first value of a scope that is new, and of one that only seems to be', async () => {
      await secrets.seal(scope, 'first', Buffer.from('1'), { isNewScope: true });
      const again = (await opened.reopen?.()) ?? secrets;
      await again.seal(scope, 'second', Buffer.from('2'), { isNewScope: true });
      expect((await secrets.open(scope, 'first'))?.toString()).toBe('1');
      expect((await secrets.open(scope, 'second'))?.toString()).toBe('2');
    });

    it('keeps an older value on request, also that of another process', async () => {
      const other = (await opened.reopen?.()) ?? secrets;
      await secrets.seal(scope, 'first', Buffer.from('of an empty scope'), { keepsOlder: true });
      await other.seal(scope, 'first', Buffer.from('later'), { keepsOlder: true });
      await Promise.all(
        [secrets, other].map((vault, n) => vault.seal(scope, 'token', Buffer.from(`of ${n}`), { keepsOlder: true })),
      );
      const [token, ofOther] = [await secrets.open(scope, 'token'), await other.open(scope, 'token')];
      expect(token?.toString()).toMatch(/^of [01]$/);
      expect(ofOther).toEqual(token);
      await secrets.seal(scope, 'token', Buffer.from('last'), { keepsOlder: true });
      expect(await other.open(scope, 'token')).toEqual(token);
      expect((await secrets.open(scope, 'first'))?.toString()).toBe('of an empty scope');
      await other.seal(scope, 'first', Buffer.from('replaced'));
      expect((await secrets.open(scope, 'first'))?.toString()).toBe('replaced');
    });

    it('follows another process that destroys a scope and uses it again', async () => {
      const other = await opened.reopen?.();
      if (!other) return;
      await secrets.seal(scope, 'token', Buffer.from('before'));
      expect((await other.open(scope, 'token'))?.toString()).toBe('before');
      await other.shred(scope);
      expect(await secrets.open(scope, 'token')).toBeUndefined();
      await other.seal(scope, 'token', Buffer.from('after'));
      expect((await secrets.open(scope, 'token'))?.toString()).toBe('after');
      await other.shred(scope);
      await other.seal(scope, 'other', Buffer.from('kept'));
      await secrets.seal(scope, 'token', Buffer.from('last'));
      for (const vault of [secrets, other]) {
        expect((await vault.open(scope, 'token'))?.toString()).toBe('last');
        expect((await vault.open(scope, 'other'))?.toString()).toBe('kept');
      }
    });

    it('opens values after it was reopened', async () => {
      if (opened.reopen === undefined) return;
      await secrets.seal(scope, 'kubeconfig', Buffer.from('lasting'));
      const again = await opened.reopen();
      expect((await again.open(scope, 'kubeconfig'))?.toString()).toBe('lasting');
    });
  });
};
