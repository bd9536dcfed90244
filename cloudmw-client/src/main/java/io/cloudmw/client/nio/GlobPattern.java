package io.cloudmw.client.nio;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The translation of glob patterns, as {@link java.nio.file.FileSystem#getPathMatcher} defines them. */
final class GlobPattern {
    private static final String SPECIAL_IN_REGEX = ".^$+{[]|()*?\\";

    private final String glob;
    private final StringBuilder regex = new StringBuilder();
    private int next;
    private boolean inGroup;

    private GlobPattern(String glob) {
        this.glob = glob;
    }

    /**
     * Translates a glob to a regular expression for whole paths.
     *
     * @throws PatternSyntaxException when it is malformed
     */
    static Pattern compile(String glob) {
        GlobPattern translation = new GlobPattern(glob);
        while (translation.next < glob.length()) {
            translation.translate(glob.charAt(translation.next++));
        }
        if (translation.inGroup) {
            throw new PatternSyntaxException("missing '}'", glob, glob.length() - 1);
        }
        return Pattern.compile(translation.regex.toString(), Pattern.DOTALL);
    }

    private void translate(char c) {
        switch (c) {
            case '\\' -> {
                if (next == glob.length()) {
                    throw new PatternSyntaxException("no character to escape", glob, next - 1);
                }
                literal(glob.charAt(next++));
            }
            case '[' -> bracket();
            case '{' -> {
                if (inGroup) {
                    throw new PatternSyntaxException("groups cannot be nested", glob, next - 1);
                }
                regex.append("(?:(?:");
                inGroup = true;
            }
            case '}' -> {
                if (inGroup) {
                    regex.append("))");
                    inGroup = false;
                } else {
                    literal(c);
                }
            }
            case ',' -> {
                if (inGroup) {
                    regex.append(")|(?:");
                } else {
                    literal(c);
                }
            }
            case '*' -> {
                if (next < glob.length() && glob.charAt(next) == '*') {
                    next++;
                    regex.append(".*");
                } else {
                    regex.append("[^/]*");
                }
            }
            case '?' -> regex.append("[^/]");
            default -> literal(c);
        }
    }

    private void literal(char c) {
        if (SPECIAL_IN_REGEX.indexOf(c) >= 0) {
            regex.append('\\');
        }
        regex.append(c);
    }

    /** A set of characters; it never contains the separator. */
    private void bracket() {
        int begin = next - 1;
        regex.append("[[^/]&&[");
        if (next < glob.length() && glob.charAt(next) == '!') {
            regex.append('^');
            next++;
        }
        boolean first = true;
        while (next < glob.length()) {
            char c = glob.charAt(next++);
            if (c == ']' && !first) {
                regex.append("]]");
                return;
            }
            if (c == '/') {
                throw new PatternSyntaxException("'/' in brackets", glob, next - 1);
            }
            if (c == '-' && !first && next < glob.length() && glob.charAt(next) != ']') {
                regex.append('-');
            } else {
                if ("\\[]^&-".indexOf(c) >= 0) {
                    regex.append('\\');
                }
                regex.append(c);
            }
            first = false;
        }
        throw new PatternSyntaxException("missing ']'", glob, begin);
    }
}
