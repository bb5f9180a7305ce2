import { agentContract } from "./contract.ts";
import { openFakeBench, openPiBench } from "./subjects.ts";

agentContract("the fake agent", () => openFakeBench(), {
  answer: (text) => `FAKE${JSON.stringify({ text })}`,
  endless: 'FAKE{"deltas":100000,"overMs":1000000}',
  tool: 'FAKE{"tool":{"process":true}}',
  retried: 'FAKE{"retries":1,"text":"recovered"}',
});

agentContract("pi", () => openPiBench(), {
  answer: (text) => `MOCK${JSON.stringify({ text })}`,
  endless: 'MOCK{"n":100000,"delayMs":10}',
  tool: 'MOCK[{"tools":[{"name":"bash","args":{"command":"sleep 600 & sleep 600"}}]}]',
  retried: 'MOCK{"n":5,"malformed":"cut","times":1}',
});
