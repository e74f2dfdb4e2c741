import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { projectPlaces, type SkillGround, skillPlaces } from "./places.ts";
import { readSkill, type Skill } from "./read-skill.ts";

/** What a look at all places found. */
export type SkillScan = {
  /** Sorted by name, no name twice. */
  skills: Skill[];
  /** Skills that cannot be offered, that break a rule, or that another of their name hides; one sentence each. */
  problems: string[];
  shadowed: string[];
  /** Skills of this project that are not offered because it is not trusted. */
  untrusted: number;
};

const MAX_PER_PLACE = 500;

/** Looks at every place once. A folder that is missing is fine; a broken skill never hides the others. */
export async function scanSkills(ground: SkillGround): Promise<SkillScan> {
  const found = new Map<string, Skill>();
  const problems: string[] = [];
  const shadowed: string[] = [];
  for (const place of skillPlaces(ground)) {
    for (const file of await skillFiles(place, problems)) {
      const reading = await readSkill(file);
      if (reading === null) continue;
      if (!reading.ok) {
        problems.push(`${file} is left out: ${reading.problem}`);
        continue;
      }
      problems.push(...reading.warnings.map((warning) => `${file}: ${warning}`));
      const first = found.get(reading.skill.name);
      if (first) shadowed.push(`${file} is hidden by ${first.file}`);
      else found.set(reading.skill.name, reading.skill);
    }
  }
  const skills = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { skills, problems, shadowed, untrusted: ground.trusted ? 0 : await countIn(projectPlaces(ground)) };
}

async function skillFiles(folder: string, problems: string[]): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  if (names.length > MAX_PER_PLACE) {
    problems.push(`${folder} holds ${names.length} entries; the first ${MAX_PER_PLACE} are looked at`);
  }
  return names
    .sort()
    .slice(0, MAX_PER_PLACE)
    .map((name) => join(folder, name, "SKILL.md"));
}

async function countIn(places: readonly string[]): Promise<number> {
  let count = 0;
  for (const place of places) {
    for (const file of await skillFiles(place, [])) if ((await readSkill(file))?.ok) count += 1;
  }
  return count;
}
