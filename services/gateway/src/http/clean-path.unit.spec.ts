import { cleanPath } from './routes';

describe('cleanPath', () => {
  it.each([
    ['/v2/clusters/', '/v2/clusters'],
    ['/v2/clusters//default-config', '/v2/clusters/default-config'],
    ['///v2///clusters///?a=//b/', '/v2/clusters?a=//b/'],
    ['/', '/'],
    ['//', '/'],
    ['/?x=/', '/?x=/'],
    ['/v2/clusters?url=http://a/', '/v2/clusters?url=http://a/'],
    ['http://muster.example.com:8090/v2//clusters/?a=//b/', '/v2/clusters?a=//b/'],
    ['HTTPS://muster.example.com/', '/'],
    ['http://muster.example.com', '/'],
    ['http://muster.example.com?a=b', '/?a=b'],
    ['/http://muster.example.com/', '/http:/muster.example.com'],
  ])('converts %s to %s', (url, cleaned) => expect(cleanPath(url)).toBe(cleaned));
});
