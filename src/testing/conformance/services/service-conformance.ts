import type { ReflectionService } from "../../../services/background/reflection.ts"
import type { MemoryService } from "../../../services/memory/memory-service.ts"
import type { UserProfileService } from "../../../services/user-profile.ts"
import { memoryServiceRules } from "./memory-service-rules.ts"
import { profileServiceRules } from "./profile-service-rules.ts"
import { reflectionRules } from "./reflection-rules.ts"
import { runRules } from "./run-rules.ts"
import type { Opened, ServiceCheck, ServiceConformanceOptions } from "./service-check.ts"

/** The rules of a {@link MemoryService} as checks for any test runner. Each check opens it empty, or uses an agent of its own. */
export function memoryServiceConformance(
  open: () => Promise<Opened<MemoryService>>,
  options: ServiceConformanceOptions = {},
): readonly ServiceCheck[] {
  return runRules<MemoryService>("memory service", memoryServiceRules, open, options)
}

/** The rules of a {@link UserProfileService} as checks for any test runner. */
export function userProfileConformance(
  open: () => Promise<Opened<UserProfileService>>,
  options: ServiceConformanceOptions = {},
): readonly ServiceCheck[] {
  return runRules<UserProfileService>("user profile", profileServiceRules, open, options)
}

/** The rules of a {@link ReflectionService} as checks for any test runner. Open it with whatever it asks answering sensibly, or not at all. */
export function reflectionConformance(
  open: () => Promise<Opened<ReflectionService>>,
  options: ServiceConformanceOptions = {},
): readonly ServiceCheck[] {
  return runRules<ReflectionService>("reflection", reflectionRules, open, options)
}
