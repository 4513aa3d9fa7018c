import type { VerificationReport } from '../../../schemas/types.js';
import { LEFT_OUT, type LeftOut } from '../../generators/pairs/left-out.js';
import { given } from '../../generators/pairs/setting.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Subject } from '../../runner/property.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { told } from './pair-property.js';
import { verifyParams } from './rule-property.js';

/** One way of being left out, by its name. */
interface Case {
  readonly name: string;
}

interface Seen {
  readonly hidden: VerificationReport;
  readonly mended: VerificationReport;
}

const [first, ...others] = LEFT_OUT.map(({ name }): Case => ({ name }));

/** What cannot be judged is not passed. */
export const leftOut = caseProperty<Case, Seen>({
  id: 'verification/left-out',
  title:
    'a rule that something keeps from being evaluated is not_evaluated, with the reason, and passes once it is mended',
  kind: 'message',
  requirements: ['VF4'],
  capabilities: ['verification'],
  examples: others,
  control: { title: first?.name ?? '', case: first as Case },
  twins: [
    {
      requirement: 'VF4',
      title: 'a report in which the rule passes',
      tamper: seen => ({ ...seen, hidden: { ...seen.hidden, rules: passed(seen.hidden) } }),
    },
    {
      requirement: 'VF4',
      title: 'a report without reasons',
      tamper: seen => ({
        ...seen,
        hidden: { ...seen.hidden, rules: seen.hidden.rules.map(({ rule, status }) => ({ rule, status })) },
      }),
    },
  ],
  examine: async (subject, value) => {
    const one = find(value);
    return { evidence: { hidden: await ask(subject, one, true), mended: await ask(subject, one, false) }, kills: 0 };
  },
  judge: (value, seen) => [judge(find(value), seen)],
});

function find({ name }: Case): LeftOut {
  return LEFT_OUT.find(one => one.name === name) ?? (LEFT_OUT[0] as LeftOut);
}

function ask(subject: Subject, { parts, whole }: LeftOut, hidden: boolean): Promise<VerificationReport> {
  const { workflow, registry } = given(parts(hidden));
  const document = hidden && whole !== undefined ? { ...whole(workflow) } : workflow;
  return subject.verify({ ...verifyParams(workflow, registry), workflow: { ...document } });
}

function passed({ rules }: VerificationReport): VerificationReport['rules'] {
  return rules.map(({ rule, status }) => ({ rule, status: status === 'not_evaluated' ? 'pass' : status }));
}

function judge({ rules, name }: LeftOut, { hidden, mended }: Seen): Check {
  const silent = hidden.rules.filter(({ status, reason = '' }) => status === 'not_evaluated' && reason === '');
  const taken = hidden.rules.filter(({ rule, status }) => rules.includes(rule) && status !== 'not_evaluated');
  const unsaid = rules.filter(id => !hidden.rules.some(({ rule }) => rule === id));
  const kept = mended.rules.filter(({ rule, status }) => rules.includes(rule) && status !== 'pass');
  const fails = (message: string, observed: unknown): Failure => ({
    message: `${name}: ${message}`,
    expected: rules,
    observed,
  });
  const failure =
    unsaid.length > 0
      ? fails('a report says nothing of a rule', unsaid)
      : taken.length > 0
        ? fails('a rule is not said to be not_evaluated', [taken, told(hidden.findings)])
        : silent.length > 0
          ? fails('a rule is not_evaluated without a reason', silent)
          : kept.length > 0
            ? fails('mended, a rule does not pass', [kept, told(mended.findings)])
            : undefined;
  return { requirement: 'VF4', reached: true, ...(failure === undefined ? {} : { failure }) };
}
