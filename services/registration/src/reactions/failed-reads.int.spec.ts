import { FilteredState } from '@muster/event-sourcing';
import {
  CLUSTER_ID,
  clusterRegistered,
  hostKey,
  hostRegistered,
  INFRA_ENV_ID,
  infraEnvRegistered,
} from '@muster/testing';
import { RunningRegistration } from '../running-registration.fixture.spec';
import { RegistrationView } from '../view/registration-view';

const KEY = hostKey(1);

describe('an event whose entry could not be read at first', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => running.stop());

  it.each([
    ['infra_envs', infraEnvRegistered(), (view: RegistrationView) => view.infraEnv(INFRA_ENV_ID)],
    ['clusters', clusterRegistered(), (view: RegistrationView) => view.cluster(CLUSTER_ID)],
    ['hosts', hostRegistered(KEY), (view: RegistrationView) => view.hostsOf(CLUSTER_ID)[0]],
  ])('of the table %s is applied', async (table, { streamId, event }, entryIn) => {
    const { get } = FilteredState.prototype;
    let failures = 0;
    jest.spyOn(FilteredState.prototype, 'get').mockImplementation(function (this: FilteredState, ...given) {
      if (given[0] !== table || failures > 0) return get.apply(this, given);
      failures += 1;
      throw new Error('disk I/O error');
    });
    await running.append(streamId, event);
    expect(failures).toBe(1);
    expect(entryIn(running.part(RegistrationView))).toBeDefined();
  });
});
