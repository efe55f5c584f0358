import { type HostKey, InventoryService } from '@muster/contracts';
import type { CommandContext, Stored } from '@muster/event-sourcing';
import type { Report, StepReport } from '@muster/inventory';
import { callService, type InputOf, REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type RegistrationConfig } from '../config';

type Data = NonNullable<InputOf<typeof InventoryService.method.recordReport>['data']>;

/** Reports of hosts: read here once, recorded by the inventory service. */
@Injectable()
export class Reports {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<RegistrationConfig, 'readReport'>,
    @Inject(REQUESTS) private readonly requests: Requests,
  ) {}

  /** @throws RefusalError with the place when the output is not valid. */
  read(step: StepReport): Report {
    const result = this.config.readReport(step);
    if (result.kind === 'refused') throw new RefusalError(result.refusal);
    return result.report;
  }

  async record(
    hostKey: HostKey,
    { event, body, secret }: Report,
    context: CommandContext,
  ): Promise<Stored | undefined> {
    const data: Data = { ...event.data };
    const request = {
      hostKey,
      type: event.type,
      data,
      body: body?.text ?? '',
      secretName: secret?.name ?? '',
      secret: secret?.plaintext ?? '',
    };
    return (await callService(this.requests, InventoryService.method.recordReport, request, context)).stored;
  }
}
