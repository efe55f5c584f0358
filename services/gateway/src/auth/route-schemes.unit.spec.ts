import { existsSync, readFileSync } from 'node:fs';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { parse } from 'yaml';
import { GatewayModule } from '../app.module';
import { ACCEPTED_SCHEMES, ALLOWED_ROLES } from './caller';

const CONTRACT = `${__dirname}/../../../../../shared/upstream/swagger.yaml`;
const hasContract = existsSync(CONTRACT);
const withContract = hasContract ? it : it.skip;
const missing = hasContract ? '' : ' (skipped: the contract is not in ../shared)';

type Security = readonly { readonly [scheme: string]: readonly string[] }[];
interface Contract {
  readonly paths: { readonly [path: string]: { readonly [method: string]: { readonly security?: Security } } };
  readonly security: Security;
}

interface Proofs {
  readonly schemes: readonly string[];
  readonly roles: readonly string[];
}

/** Routes that are stricter than the v2 API on purpose. */
const STRICTER: ReadonlySet<string> = new Set([
  // The v2 API names no roles for these routes and would permit read-only-admin to write.
  'POST /v2/clusters/{cluster_id}/manifests',
  'PATCH /v2/clusters/{cluster_id}/manifests',
]);

const READERS = ['admin', 'read-only-admin', 'user'];
const WRITERS = ['admin', 'user'];

function controllersOf(module: Type): readonly Type[] {
  const own = (Reflect.getMetadata('controllers', module) ?? []) as readonly Type[];
  const imported = (Reflect.getMetadata('imports', module) ?? []) as readonly Type[];
  return [...own, ...imported.flatMap(controllersOf)];
}

function served(): ReadonlyMap<string, Proofs> {
  const controllers = controllersOf(GatewayModule);
  const proofs = new Map<string, Proofs>();
  for (const controller of controllers) {
    const bases = [Reflect.getMetadata(PATH_METADATA, controller) as string | string[]].flat();
    for (const name of Object.getOwnPropertyNames(controller.prototype)) {
      const handler: unknown = Object.getOwnPropertyDescriptor(controller.prototype, name)?.value;
      const code =
        typeof handler === 'function'
          ? (Reflect.getMetadata(METHOD_METADATA, handler) as number | undefined)
          : undefined;
      if (typeof handler !== 'function' || code === undefined) continue;
      const method = RequestMethod[code] ?? '';
      const schemes = Reflect.getMetadata(ACCEPTED_SCHEMES, handler) as readonly string[] | 'anyone' | undefined;
      if (schemes === 'anyone' || schemes === undefined) continue;
      const roles =
        (Reflect.getMetadata(ALLOWED_ROLES, handler) as readonly string[] | undefined) ??
        (method === 'GET' ? READERS : WRITERS);
      const own = [Reflect.getMetadata(PATH_METADATA, handler) as string | string[]].flat();
      for (const base of bases)
        for (const rest of own) {
          const path = `/${base}/${rest}`
            .replace(/\/+/g, '/')
            .replace(/(.)\/$/, '$1')
            .replace(/:(\w+)/g, '{$1}');
          proofs.set(`${method} ${path}`, { schemes: [...schemes].sort(), roles: [...roles].sort() });
        }
    }
  }
  return proofs;
}

function agreed(): ReadonlyMap<string, Proofs> {
  const { paths, security } = parse(readFileSync(CONTRACT, 'utf8')) as Contract;
  const proofs = new Map<string, Proofs>();
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations)) {
      if (method === 'parameters') continue;
      const accepted = Object.assign({}, ...(operation.security ?? security)) as {
        readonly [scheme: string]: readonly string[];
      };
      const roles = accepted['userAuth']?.length ? accepted['userAuth'] : READERS;
      proofs.set(`${method.toUpperCase()} ${path}`, {
        schemes: Object.keys(accepted).sort(),
        roles: [...roles].sort(),
      });
    }
  return proofs;
}

describe('the authentication schemes of routes', () => {
  it('are declared by every route', () => {
    expect(served().size).toBeGreaterThan(70);
  });

  withContract(`are those of the v2 API${missing}`, () => {
    const routes = served();
    const different = [...agreed()].flatMap(([operation, wanted]) => {
      const own = routes.get(operation);
      if (!own) return [`${operation} is not served`];
      const same = JSON.stringify(own.schemes) === JSON.stringify(wanted.schemes);
      const sameRoles =
        !wanted.schemes.includes('userAuth') ||
        STRICTER.has(operation) ||
        JSON.stringify(own.roles) === JSON.stringify(wanted.roles);
      return same && sameRoles ? [] : [`${operation}: ${JSON.stringify(own)} instead of ${JSON.stringify(wanted)}`];
    });
    expect(different).toEqual([]);
  });
});
