import { RouteTable } from './routes';

describe('RouteTable', () => {
  const routes = new RouteTable();
  routes.add('/v2/clusters/:cluster_id', ['GET', 'HEAD']);
  routes.add('/v2/clusters/:cluster_id', 'DELETE');
  routes.add('/v2/clusters/import', 'POST');

  it('returns the methods of a path over all matching patterns', () => {
    expect(routes.methodsOf('/v2/clusters/1')).toEqual(['DELETE', 'GET', 'HEAD']);
    expect(routes.methodsOf('/v2/clusters/import')).toEqual(['DELETE', 'GET', 'HEAD', 'POST']);
  });

  it('returns no methods for an unknown path', () => {
    for (const path of ['/v2/clusters', '/v2/clusters/1/2', '/v2/clusters/', '/x/v2/clusters/1']) {
      expect(routes.methodsOf(path)).toEqual([]);
    }
  });
});
