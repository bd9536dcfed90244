package io.cloudmw.cli;

import io.cloudmw.cli.shell.Commands;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The groups of commands in {@code cloudmw --help}. They include the server commands, which are in another jar. */
final class HelpGroups {
    /** The purpose of each server command: the first sentence of its own help. A test compares the two. */
    static final Map<String, String> SERVERS = Map.of(
            "coordinator",
            "Serves the catalog: volumes, files, the places of their chunks, and the live helpers",
            "helper",
            "Stores chunks on its disks, races for blocks, and relays the blocks it won",
            "standalone",
            "Runs a coordinator and helpers with a disk each in one process, for development",
            "recover",
            "Recovers a volume from stores into a catalog that has lost it",
            "authority",
            "Make, show or replace the file of the cluster's authority, which signs certificates");

    private static final String OTHERS = "Other";
    private static final int NAME_WIDTH = 18;

    /** The commands of each group, by its heading. The help leaves out a name that has no command. */
    private static final Map<String, List<String>> GROUPS = groups();

    private HelpGroups() {}

    private static Map<String, List<String>> groups() {
        Map<String, List<String>> groups = new LinkedHashMap<>();
        groups.put(
                "Files",
                List.of(
                        "put",
                        "get",
                        "cat",
                        "ls",
                        "stat",
                        "rm",
                        "mv",
                        "cp",
                        "mkdir",
                        "rmdir",
                        "sync",
                        "append",
                        "write",
                        "truncate",
                        "attr",
                        "warm",
                        "watch"));
        groups.put("Volumes and stores", List.of("volume", "store", "drain", "undrain"));
        groups.put("Snapshots and backup", List.of("snapshot", "backup", "recover"));
        groups.put("Cluster", List.of("status", "helpers", "top", "gc", "scrub", "repair", "support-bundle"));
        groups.put(
                "Subjects and rights",
                List.of("grant", "revoke", "grants", "whoami", "token", "login", "logout", "authority"));
        groups.put("Measuring and trying out", List.of("plan", "cost", "bench", "demo", "torture"));
        groups.put("Serving", List.of("coordinator", "helper", "standalone", "peer"));
        groups.put("Shell", List.of("help", "completion", "man"));
        return groups;
    }

    /** Makes the help of this command list its subcommands in groups. */
    static void show(CommandLine line) {
        line.getCommandSpec().usageMessage().commandListHeading("");
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, HelpGroups::render);
    }

    private static String render(Help help) {
        Map<String, String> descriptions = descriptions(help.commandSpec());
        StringBuilder text = new StringBuilder();
        List<String> left = new ArrayList<>(descriptions.keySet());
        GROUPS.forEach((heading, names) -> {
            List<String> shown =
                    names.stream().filter(descriptions::containsKey).toList();
            left.removeAll(shown);
            text.append(group(help, heading, shown, descriptions));
        });
        return text.append(group(help, OTHERS, left, descriptions)).toString();
    }

    /** The first sentence of the help of each command, by its name. */
    private static Map<String, String> descriptions(CommandSpec root) {
        Map<String, String> descriptions = new TreeMap<>(SERVERS);
        root.subcommands().forEach((name, line) -> {
            if (!line.getCommandSpec().usageMessage().hidden()) {
                descriptions.put(name, Commands.does(line.getCommandSpec()));
            }
        });
        return descriptions;
    }

    private static String group(Help help, String heading, List<String> names, Map<String, String> descriptions) {
        if (names.isEmpty()) {
            return "";
        }
        int width = help.commandSpec().usageMessage().width();
        Help.TextTable table = Help.TextTable.forColumns(
                help.colorScheme(),
                new Help.Column(NAME_WIDTH, 2, Help.Column.Overflow.SPAN),
                new Help.Column(width - NAME_WIDTH, 1, Help.Column.Overflow.WRAP));
        names.forEach(name -> table.addRowValues(name, descriptions.getOrDefault(name, "")));
        return System.lineSeparator() + heading + ":" + System.lineSeparator() + table;
    }
}
