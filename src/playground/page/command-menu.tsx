import type { BotCommand } from "../bot-api/shapes.ts";

/** The commands that a text can still become. */
export function matchingCommands(text: string, commands: readonly BotCommand[]): readonly BotCommand[] {
  if (!/^\/[a-z0-9_]*$/i.test(text)) return [];
  return commands.filter(({ command }) => `/${command}`.startsWith(text.toLowerCase()));
}

export interface CommandMenuProps {
  readonly commands: readonly BotCommand[];
  readonly chosen: number;
  readonly onPick: (command: string) => void;
}

/** The bot's menu of commands. The text box keeps the focus and says which one is chosen. */
export function CommandMenu({ commands, chosen, onPick }: CommandMenuProps) {
  if (commands.length === 0) return null;
  return (
    <ul class="command-menu" id="commands" role="listbox" aria-label="Commands">
      {commands.map(({ command, description }, index) => (
        <li
          key={command}
          id={`command-${index}`}
          role="option"
          aria-selected={index === chosen}
          // Else the text box would lose the focus before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(command)}
        >
          <b>/{command}</b>
          <span>{description}</span>
        </li>
      ))}
    </ul>
  );
}
