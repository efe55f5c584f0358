import { ValidationService, parseEvent } from '@muster/contracts';
import { DryRun, type DryRunHost } from '@muster/evaluation';
import { Handles, type InputOf, type OutputOf, CLOCK } from '@muster/nest-kit';
import type { Clock } from '@muster/ports';
import type { RulesPolicy } from '@muster/validation-rules';
import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CONFIG } from './config';

/** Evaluates a cluster and its hosts without storing anything. */
@Controller()
export class DryRunController {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly policy: RulesPolicy,
  ) {}

  @Handles(ValidationService.method.dryRun)
  handle(
    @Payload() { settings = {}, pullSecretSet, hosts }: InputOf<typeof ValidationService.method.dryRun>,
  ): OutputOf<typeof ValidationService.method.dryRun> {
    const dryRun = new DryRun(this.policy, new Date(this.clock.nowMs()).toISOString());
    const { outcomes, hosts: results, machineNetworks } = dryRun.run(settings, pullSecretSet, hosts.map(toDryRunHost));
    return {
      outcomes: [...outcomes],
      hosts: results.map((result) => ({ ...result, outcomes: [...result.outcomes] })),
      machineNetworks: [...machineNetworks],
    };
  }
}

type Host = InputOf<typeof ValidationService.method.dryRun>['hosts'][number];

const toDryRunHost = (host: Host): DryRunHost => ({
  ...host,
  reports: host.reports.map(({ type, data }) => parseEvent('inventory', type, data ?? {})),
});
