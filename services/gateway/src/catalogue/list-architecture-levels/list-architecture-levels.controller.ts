import { Controller, Get } from '@nestjs/common';
import { ArchitectureLevelsQuery } from '@muster/assisted-api';
import { type ArchitectureLevels, architectureLevels } from '@muster/feature-support';
import { Accepts } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';

@Controller('v2/support-levels/architectures')
export class ListArchitectureLevelsController {
  @Get()
  @Accepts('userAuth')
  handle(@QueryOf(ArchitectureLevelsQuery) query: ArchitectureLevelsQuery): {
    readonly architectures: ArchitectureLevels;
  } {
    return { architectures: architectureLevels(query.openshift_version) };
  }
}
