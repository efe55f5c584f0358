import { RouteTable } from './routes';

describe('RouteTable', () => {
  const routes = new RouteTable();
  routes.add('/v2/clusters/:cluster_id', ['GET', 'HEAD']);
  routes.add('/v2/clusters/:cluster_id', 'DELETE');
  routes.add('/v2/clusters/import', 'POST');

  it('knows the methods of a path, over all patterns that it fits', () => {
    expect(routes.methodsOf('/v2/clusters/1')).toEqual(['DELETE', 'GET', 'HEAD']);
    expect(routes.methodsOf('/v2/clusters/import')).toEqual(['DELETE', 'GET', 'HEAD', 'POST']);
  });

  it('knows no path that is longer, shorter or other', () => {
    for (const path of ['/v2/clusters', '/v2/clusters/1/2', '/v2/clusters/', '/x/v2/clusters/1']) {
      expect(routes.methodsOf(path)).toEqual([]);
    }
  });
});
