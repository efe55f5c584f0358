import { handlerLabel } from './image-metrics';

describe('The label of a request', () => {
  it('is the kind of its URL and never the URL', () => {
    expect(handlerLabel('/byapikey/:token/:version/:arch/:file')).toBe('/byapikey/:token');
    expect(handlerLabel('/boot-artifacts/:artifact')).toBe('');
    for (const route of ['/health', '/byid/secret', 'toString', undefined]) expect(handlerLabel(route)).toBeUndefined();
  });
});
