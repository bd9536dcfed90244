package io.cloudmw.cli.support;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The removal of secrets from texts: values of names that mean a secret, credentials in URLs, keys of AWS, private keys,
 * and everything that is known to be a secret on this machine. It rather replaces too much. Immutable.
 */
final class SecretMask {
    /** The text in the place of a secret. */
    static final String MASKED = "<redacted>";

    /** A shorter value is too likely to be a word of something else. */
    private static final int LEAST_KNOWN = 8;

    private static final String NAMES = "secret|token|password|passwd|passphrase|credential|signature|pwd"
            + "|(?<![a-z])(?:pass|sig)(?![a-z])|(?:access|private|api|customer)[-_.]?key|external[-_.]?id|cookie"
            + "|authorization";

    private static final Pattern NAME = Pattern.compile("(?i)(?:" + NAMES + ")");

    /** Names of files and of times: their values are no secrets. */
    private static final Pattern HARMLESS = Pattern.compile("(?i)[._-](?:file|dir|ttl|name|bucket|arn)$");

    /** The most characters of a name around the word that means a secret; without a limit, long texts take for ever. */
    private static final String PART = "[a-z0-9_.-]{0,64}";

    /**
     * A name that means a secret, and its value: quoted, a list, or up to the next space. In a JSON text within a JSON
     * text the quotes have a backslash.
     */
    private static final Pattern PAIR =
            Pattern.compile("(?i)(\\\\?[\"']?)(?<![a-z0-9_.-])(" + PART + "(?:" + NAMES + ")"
                    + PART + ")(\\1\\s{0,8}[=:]\\s{0,8})"
                    + "(\\\\\"[^\"\\\\\n]{0,4096}+\\\\\""
                    + "|\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+){0,100}+\""
                    + "|'[^']*+'"
                    + "|\\[[^\\]\n]{0,4096}+\\]"
                    + "|(?:(?:bearer|basic|token) )?[^\\s&\"'\\\\<]++)");

    /** An option of a command line, and its value. */
    private static final Pattern OPTION = Pattern.compile(
            "(?i)((?<![a-z0-9_.-])--?" + PART + "(?:" + NAMES + ")" + PART + "\\s{1,8})([^\\s-][^\\s]*+)");

    /** Headers of HTTP that are secrets as a whole. */
    private static final Pattern HEADER =
            Pattern.compile("(?i)((?:set-)?cookie2?|(?:proxy-)?authorization)(\\s{0,8}:)[^\n\"]*+");

    private static final Pattern ELEMENT =
            Pattern.compile("(?i)(<" + PART + "(?:" + NAMES + ")" + PART + ">)[^<]{0,4096}+(</)");

    /** A line of a file of settings, with the lines that continue it. */
    private static final Pattern SETTING =
            Pattern.compile("(?m)^([^\\S\n]{0,64}[^\\s=:#!][^=:\n]{0,256}[=:])((?:[^\\\\\n]|\\\\\r?\n?)*+)");

    private static final Pattern URL_CREDENTIALS =
            Pattern.compile("(?i)(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,20}://)[^/\\s\"]{1,512}@");

    private static final Pattern AWS_KEY = Pattern.compile("\\b(AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}\\b");

    /** A line that is a key and nothing else, as in a file of keys. */
    private static final Pattern KEY_LINE = Pattern.compile("(?m)^[ \\t]{0,8}[0-9a-fA-F]{32,}+[ \\t\\r]{0,8}$");

    private static final Pattern KEY_BEGIN = Pattern.compile("-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----");
    private static final Pattern KEY_END = Pattern.compile("-----END [A-Z ]{0,32}PRIVATE KEY-----");

    private final List<String> known;

    private SecretMask(List<String> known) {
        this.known = known;
    }

    /**
     * A mask that also knows the values of variables whose names mean a secret.
     *
     * @param more further secrets, like the lines of the cluster's secret file
     */
    static SecretMask of(Map<String, String> environment, List<String> more) {
        List<String> known = new ArrayList<>();
        environment.forEach((name, value) -> {
            if (isSecret(name)) {
                known.add(value);
            }
        });
        known.addAll(more);
        return new SecretMask(known.stream()
                .map(String::strip)
                .filter(secret -> secret.length() >= LEAST_KNOWN)
                .distinct()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList());
    }

    private static boolean isSecret(String name) {
        return NAME.matcher(name).find() && !HARMLESS.matcher(name.strip()).find();
    }

    /** Returns the text without secrets. */
    String apply(String text) {
        String masked = text;
        for (String secret : known) {
            masked = masked.replace(secret, MASKED);
        }
        masked = withoutPrivateKeys(masked);
        masked = KEY_LINE.matcher(masked).replaceAll(MASKED);
        masked = URL_CREDENTIALS.matcher(masked).replaceAll("$1" + MASKED + "@");
        masked = AWS_KEY.matcher(masked).replaceAll(MASKED);
        masked = HEADER.matcher(masked).replaceAll("$1$2 " + MASKED);
        masked = ELEMENT.matcher(masked).replaceAll("$1" + MASKED + "$2");
        masked = replaced(PAIR, masked, SecretMask::maskedPair);
        return OPTION.matcher(masked).replaceAll("$1" + MASKED);
    }

    /** Returns the text of a file of settings without secrets: there a value ends with its line, and may go on. */
    String applyToSettings(String text) {
        return apply(replaced(
                SETTING,
                text,
                setting ->
                        isSecret(setting.group(1).substring(0, setting.group(1).length() - 1))
                                ? setting.group(1) + MASKED
                                : setting.group()));
    }

    private static String replaced(Pattern pattern, String text, Function<MatchResult, String> replacement) {
        return pattern.matcher(text).replaceAll(found -> Matcher.quoteReplacement(replacement.apply(found)));
    }

    private static String maskedPair(MatchResult pair) {
        return HARMLESS.matcher(pair.group(2)).find()
                ? pair.group()
                : pair.group(1) + pair.group(2) + pair.group(3) + masked(pair.group(4));
    }

    /** Keeps quotes and brackets, so that JSON stays JSON. */
    private static String masked(String value) {
        if (value.startsWith("\\\"")) {
            return "\\\"" + MASKED + "\\\"";
        }
        return switch (value.charAt(0)) {
            case '"' -> "\"" + MASKED + "\"";
            case '\'' -> "'" + MASKED + "'";
            case '[' -> "[\"" + MASKED + "\"]";
            default -> MASKED;
        };
    }

    /** Replaces private keys; of one whose begin or end was cut off, what is left. */
    private static String withoutPrivateKeys(String text) {
        StringBuilder kept = new StringBuilder();
        int from = 0;
        Matcher begin = KEY_BEGIN.matcher(text);
        Matcher end = KEY_END.matcher(text);
        while (end.find(from)) {
            int first = begin.find(from) && begin.start() < end.start() ? begin.start() : from;
            kept.append(text, from, first).append(MASKED);
            from = end.end();
        }
        int rest = begin.find(from) ? begin.start() : text.length();
        kept.append(text, from, rest);
        return rest == text.length() ? kept.toString() : kept.append(MASKED).toString();
    }
}
