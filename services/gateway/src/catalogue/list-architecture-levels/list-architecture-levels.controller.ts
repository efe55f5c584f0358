import { Controller, Get } from '@nestjs/common';
import { ArchitectureLevelsQuery } from '@muster/assisted-api';
import { type ArchitectureLevels, architectureLevels } from '@muster/feature-support';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';
import { V2_ARCHITECTURE_LEVELS } from '../support-levels';

@Controller('v2/support-levels/architectures')
export class ListArchitectureLevelsController {
  @Get()
  @Answers('Tells how well each architecture is supported by a version.', V2_ARCHITECTURE_LEVELS)
  @Accepts('userAuth')
  handle(@QueryOf(ArchitectureLevelsQuery) query: ArchitectureLevelsQuery): {
    readonly architectures: ArchitectureLevels;
  } {
    return { architectures: architectureLevels(query.openshift_version) };
  }
}
