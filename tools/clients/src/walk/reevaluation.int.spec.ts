import { PULL_SECRET } from './walk-call.fixture.spec';
import { openWalkWorld, type WalkWorld } from './walk-world.fixture.spec';

interface Shown {
  readonly id: string;
  readonly validations_info?: string;
}
type Outcomes = { readonly [category: string]: readonly { readonly id: string; readonly status: string }[] };

const statusOf = ({ validations_info: text = '{}' }: Shown, ruleId: string): string | undefined =>
  Object.values(JSON.parse(text) as Outcomes)
    .flat()
    .find(({ id }) => id === ruleId)?.status;

describe('the response to a change of settings', () => {
  let world: WalkWorld;
  beforeAll(async () => {
    world = await openWalkWorld();
  });
  afterAll(() => world.close());

  it('contains the validations that follow from it, like the next GET', async () => {
    const registered = await world.send('POST', '/clusters', {
      name: 'reevaluated',
      openshift_version: '4.18',
      pull_secret: PULL_SECRET,
    });
    const { id } = JSON.parse(registered.text) as Shown;
    let complete = 0;
    for (let round = 0; round < 10; round += 1) {
      for (const [domain, expected] of [
        [`d${round}.example.com`, 'success'],
        ['', 'failure'],
      ] as const) {
        const answer = await world.send('PATCH', `/clusters/${id}`, { base_dns_domain: domain });
        expect(answer.status).toBe(201);
        // On a busy machine the wait may end early, which the response reports.
        if (answer.headers.get('muster-evaluation') === 'incomplete') continue;
        complete += 1;
        expect(statusOf(JSON.parse(answer.text) as Shown, 'dns-domain-defined')).toBe(expected);
        expect(statusOf(await world.read<Shown>(`/clusters/${id}`), 'dns-domain-defined')).toBe(expected);
      }
    }
    expect(complete).toBeGreaterThan(0);
  });
});
