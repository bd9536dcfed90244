package io.cloudmw.cli.progress;

/**
 * The progress of a command that counts other things than the bytes of files.
 *
 * @param text the number counted, its total and its noun
 * @param done the number out of {@code total}
 * @param total negative: not known
 * @param details further figures, shown after the speed and the time left
 */
public record Tally(String text, long done, long total, String details) {
    public static Tally of(String text) {
        return new Tally(text, 0, -1, "");
    }
}
