package io.cloudmw.cli.progress;

/**
 * The progress of a command that counts something else than bytes of files.
 *
 * @param text what is counted, and of how many
 * @param done of {@code total}
 * @param total negative: not known
 * @param details that come after the speed and the time that is left
 */
public record Tally(String text, long done, long total, String details) {
    public static Tally of(String text) {
        return new Tally(text, 0, -1, "");
    }
}
