import { DOCUMENT_PAGE } from '../api-document/api-document';
import { type RunningGateway } from '../running-gateway.fixture.spec';
import {
  CLUSTER_ID,
  clusterDocument,
  HOST_ID,
  hostDocument,
  INFRA_ENV_ID,
  infraEnvDocument,
} from '../sample-documents.fixture.spec';

export const FOREIGN_ID = '2f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f6';
export const FOREIGN_CLUSTER_ID = '3f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f7';
export const REFUSED: readonly number[] = [401, 403, 404];
/** Public routes. Any other route that answers without a token fails the test. */
export const OPEN_ROUTES: readonly string[] = ['GET /health', 'GET /metrics', 'GET /ready'];
/** The API document and its page are public. They describe the API and contain no data. */
export const isOpen = ({ name, path }: Route): boolean =>
  OPEN_ROUTES.includes(name) || path === `/${DOCUMENT_PAGE}` || path.startsWith(`/${DOCUMENT_PAGE}/`);
export const PATH_VALUES: ReadonlyMap<string, string> = new Map([
  ['cluster_id', CLUSTER_ID],
  ['infra_env_id', INFRA_ENV_ID],
  ['host_id', HOST_ID],
]);
export interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The path names a cluster, infra-env or host. */
  readonly isOwned: boolean;
}
/** Every operation that the gateway serves, so that new operations are included. */
export function routesOf({ routes }: RunningGateway): readonly Route[] {
  return routes.all().flatMap(({ pattern, methods }) =>
    methods
      .filter((method) => !['HEAD', 'OPTIONS'].includes(method))
      .map((method) => ({
        name: `${method} ${pattern}`,
        method,
        path: pattern.replace(/:(\w+)/g, (_, name: string) => PATH_VALUES.get(name) ?? 'x').replace('*', 'x'),
        isOwned: /:(?:cluster_id|infra_env_id)/.test(pattern),
      })),
  );
}
export type Headers = Readonly<Record<string, string>>;
export async function statusOf(
  gateway: RunningGateway,
  { method, path }: Route,
  headers: Headers,
  query = '',
): Promise<number> {
  const json = method === 'GET' || method === 'DELETE' ? undefined : {};
  return (await gateway.call(method, `${path}${query}`, { json, headers })).status;
}
export const everyHeader = (token: string): Headers => ({
  authorization: `Bearer ${token}`,
  'x-secret-key': token,
  'image-token': token,
  'watcher-authorization': token,
});
export const everyParameter = (token: string): string => `?api_key=${token}&image_token=${token}`;
export const tampered = (token: string): string => {
  const [head = '', , signature = ''] = token.split('.');
  const claims = Buffer.from(JSON.stringify({ username: 'alice', infra_env_id: INFRA_ENV_ID, sub: INFRA_ENV_ID }));
  return [head, claims.toString('base64url'), signature].join('.');
};
export async function fill(gateway: RunningGateway): Promise<void> {
  const alice = { user_name: 'alice', org_id: 'wonderland' };
  await gateway.project(1, [
    clusterDocument({ ...alice }),
    clusterDocument({ id: FOREIGN_CLUSTER_ID, user_name: 'bob', org_id: 'builders' }),
    infraEnvDocument({ ...alice }),
    infraEnvDocument({ id: FOREIGN_ID, cluster_id: undefined, user_name: 'bob', org_id: 'builders' }),
    hostDocument(),
  ]);
}
/** No credential gives access to Alice's resources, on any route. */
export function refusesOnEveryRoute(
  gatewayOf: () => RunningGateway,
  credentials: readonly (readonly [string, () => Promise<readonly [Headers, string]>, 'any route' | 'owned routes'])[],
): void {
  it.each(credentials)('refuses %s', async (_, make, where) => {
    const gateway = gatewayOf();
    const [headers, query] = await make();
    const before = gateway.received.length;
    const through: string[] = [];
    for (const route of routesOf(gateway)) {
      if (isOpen(route) || (where === 'owned routes' && !route.isOwned)) continue;
      const status = await statusOf(gateway, route, headers, query);
      if (!REFUSED.includes(status)) through.push(`${route.name}: ${status}`);
    }
    expect(through).toEqual([]);
    expect(gateway.received.slice(before)).toEqual([]);
  });
}
