/** Statements before {@code super(...)} (JEP 513). */
public final class Early {
    static class Base {
        final String text;

        Base(String text) {
            this.text = text;
        }
    }

    static class Checked extends Base {
        final int length;

        Checked(String text, boolean twice) {
            if (text == null) {
                throw new IllegalArgumentException("no text");
            }
            var builder = new StringBuilder();
            for (int i = 0; i < (twice ? 2 : 1); i++) {
                try {
                    builder.append(Integer.parseInt(text)).append(i);
                } catch (NumberFormatException e) {
                    builder.append(text);
                }
            }
            length = builder.length();
            super(builder.toString());
            if (twice) {
                return;
            }
            System.out.println("once");
        }

        Checked(int i) {
            var text = switch (i) {
                case 0 -> "zero";
                case 1 -> "one";
                default -> String.valueOf(i);
            };
            this(text, i > 5);
        }
    }

    public static void main(String[] args) {
        System.out.println(new Checked("12", true).text + new Checked("x", false).length + new Checked(1).text);
        try {
            new Checked(null, true);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }
}
