import type { Secrets } from '@muster/ports';

/** Plain values in a map, for tests. Values are not sealed, because they stay in the process. */
export const inMemorySecrets = (): Secrets => {
  const scopes = new Map<string, Map<string, Buffer>>();
  return {
    seal: async (scope, name, plaintext, { keepsOlder = false } = {}) => {
      const values = scopes.get(scope) ?? new Map<string, Buffer>();
      if (keepsOlder && values.has(name)) return;
      values.set(name, Buffer.from(plaintext));
      scopes.set(scope, values);
    },
    open: async (scope, name) => {
      const value = scopes.get(scope)?.get(name);
      return value === undefined ? undefined : Buffer.from(value);
    },
    shred: async (scope) => {
      for (const value of scopes.get(scope)?.values() ?? []) value.fill(0);
      scopes.delete(scope);
    },
  };
};
