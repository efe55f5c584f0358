import { handlerLabel } from './image-metrics';

describe('the metric label of a request', () => {
  it('is derived from the route and not from the URL', () => {
    expect(handlerLabel('/byapikey/:token/:version/:arch/:file')).toBe('/byapikey/:token');
    expect(handlerLabel('/boot-artifacts/:artifact')).toBe('');
    for (const route of ['/health', '/byid/secret', 'toString', undefined]) expect(handlerLabel(route)).toBeUndefined();
  });
});
