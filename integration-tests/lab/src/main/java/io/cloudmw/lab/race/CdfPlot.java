package io.cloudmw.lab.race;

import java.util.Locale;
import java.util.Map;

/**
 * A plot, as SVG, of the share of reads that finished within a given time, one curve per contender. The time axis is
 * logarithmic, so that tails are visible.
 */
final class CdfPlot {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 520;
    private static final int LEFT = 70;
    private static final int RIGHT = 230;
    private static final int TOP = 50;
    private static final int BOTTOM = 60;
    private static final String[] COLOURS = {
        "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#222222", "#ee8866", "#999999", "#44bb99"
    };

    private final double least;
    private final double most;
    private final StringBuilder svg = new StringBuilder();

    private CdfPlot(Map<String, Distribution> distributions) {
        double from = Double.MAX_VALUE;
        double to = 0;
        for (Distribution each : distributions.values()) {
            from = Math.min(from, Math.max(each.smallest(), 1e-6));
            to = Math.max(to, each.quantile(1));
        }
        least = from / 1.05;
        most = Math.max(to, from * 1.01) * 1.05;
    }

    /**
     * Draws the plot.
     *
     * @param distributions by contender name, in the order of the legend; at least one
     */
    static String svg(String title, Map<String, Distribution> distributions) {
        CdfPlot plot = new CdfPlot(distributions);
        plot.frame(title);
        int index = 0;
        for (Map.Entry<String, Distribution> each : distributions.entrySet()) {
            plot.curve(index++, each.getKey(), each.getValue());
        }
        return plot.svg.append("</svg>\n").toString();
    }

    private void frame(String title) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">",
                WIDTH, HEIGHT, WIDTH, HEIGHT);
        add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        add("<text x=\"%d\" y=\"26\" font-size=\"15\">%s</text>", LEFT, escaped(title));
        for (int percent = 0; percent <= 100; percent += 25) {
            double y = y(percent / 100.0);
            add("<path d=\"M%d %.1fH%d\" stroke=\"#dddddd\"/>", LEFT, y, WIDTH - RIGHT);
            add("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d%%</text>", LEFT - 6, y + 4, percent);
        }
        for (double decade = Math.pow(10, Math.floor(Math.log10(least))); decade <= most; decade *= 10) {
            for (double mark : new double[] {1, 1.5, 2, 3, 5, 7}) {
                double seconds = decade * mark;
                if (seconds >= least && seconds <= most) {
                    add("<path d=\"M%.1f %dV%d\" stroke=\"#eeeeee\"/>", x(seconds), TOP, HEIGHT - BOTTOM);
                    add(
                            "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
                            x(seconds), HEIGHT - BOTTOM + 18, number(seconds));
                }
            }
        }
        add("<text x=\"%d\" y=\"%d\">seconds (emulated)</text>", LEFT, HEIGHT - 16);
    }

    private void curve(int index, String name, Distribution distribution) {
        String colour = COLOURS[index % COLOURS.length];
        double[] values = distribution.ascending();
        StringBuilder path = new StringBuilder(String.format(Locale.ROOT, "M%.2f %.2f", x(values[0]), y(0)));
        for (int i = 0; i < values.length; i++) {
            path.append(String.format(Locale.ROOT, "H%.2fV%.2f", x(values[i]), y((i + 1.0) / values.length)));
        }
        add("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"/>", path, colour);
        int row = TOP + 14 + 20 * index;
        int x = WIDTH - RIGHT + 14;
        add("<path d=\"M%d %dH%d\" stroke=\"%s\" stroke-width=\"3\"/>", x, row - 4, x + 20, colour);
        add("<text x=\"%d\" y=\"%d\">%s</text>", x + 26, row, escaped(name));
    }

    private double x(double seconds) {
        double share = Math.log(Math.max(seconds, least) / least) / Math.log(most / least);
        return LEFT + share * (WIDTH - LEFT - RIGHT);
    }

    private static double y(double share) {
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
    }

    private static String number(double seconds) {
        return String.format(Locale.ROOT, "%.6f", seconds).replaceFirst("\\.?0+$", "");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private void add(String form, Object... values) {
        svg.append(String.format(Locale.ROOT, form, values)).append('\n');
    }
}
