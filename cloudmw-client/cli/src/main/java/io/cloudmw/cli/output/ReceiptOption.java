package io.cloudmw.cli.output;

import java.util.List;
import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The option {@code --receipt}: prints time, bytes and cost of a transfer on standard error. */
public final class ReceiptOption {
    private static final String TOTALS = "totals";
    private static final String BLOCKS = "blocks";

    @Option(
            names = "--receipt",
            arity = "0..1",
            paramLabel = "totals|blocks",
            preprocessor = OnlyAttached.class,
            description = "say on standard error what it took and cost: totals by helper and store, or (=blocks) each "
                    + "block")
    private String wanted = "";

    /** The preprocessor that takes a value only after {@code =}, because a word after a space is the command's file. */
    static final class OnlyAttached implements IParameterPreprocessor {
        @Override
        public boolean preprocess(Stack<String> args, CommandSpec command, ArgSpec option, Map<String, Object> info) {
            if (" ".equals(info.get("separator"))) {
                args.push(TOTALS);
            }
            return false;
        }
    }

    public boolean isWanted() {
        if (!List.of("", TOTALS, BLOCKS).contains(wanted)) {
            throw new IllegalArgumentException("--receipt: \"" + wanted + "\" (expected: totals, blocks)");
        }
        return !wanted.isEmpty();
    }

    /** Returns whether each block gets a line. */
    public boolean ofBlocks() {
        return wanted.equals(BLOCKS);
    }
}
