/* A bot that speaks the protocol of docs/protocol.md, in C.
 *
 *     cc -O2 -o bot examples/bot.c
 *     python -m terminal "program:./bot" random --games 1000
 *     python -m terminal "program:careful=0:./bot" random --games 1000
 *
 * It takes a win if there is one; otherwise, unless careful=0, the cell after which it has the most
 * safe pieces to give.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int board[16], hand, careful = 1; /* -1: no piece */
static uint64_t state = 1; /* of the random generator */

static unsigned below(unsigned n) { /* xorshift64* */
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return (unsigned)((state * 2685821657736338717ULL) >> 33) % n;
}

static const int LINES[10][4] = {
    {0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}, {0, 4, 8, 12},
    {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}, {0, 5, 10, 15}, {3, 6, 9, 12},
};

/* Return whether the piece completes a line on this free cell. */
static int wins(int cell, int piece) {
    for (int i = 0; i < 10; i++) {
        int have = piece, lack = ~piece, there = 0, empty = 0;
        for (int j = 0; j < 4; j++) {
            int c = LINES[i][j];
            if (c == cell) there = 1;
            else if (board[c] < 0) empty = 1;
            else have &= board[c], lack &= ~board[c];
        }
        if (there && !empty && ((have | lack) & 15)) return 1;
    }
    return 0;
}

static int is_safe(int piece) {
    for (int cell = 0; cell < 16; cell++)
        if (board[cell] < 0 && wins(cell, piece)) return 0;
    return 1;
}

static int in_pool(int piece) {
    for (int cell = 0; cell < 16; cell++)
        if (board[cell] == piece) return 0;
    return 1;
}

static int score(int cell) {
    int count = 0;
    if (wins(cell, hand)) return 100;
    board[cell] = hand;
    for (int piece = 0; careful && piece < 16; piece++) count += in_pool(piece) && is_safe(piece);
    board[cell] = -1;
    return count;
}

static int best_cell(void) {
    int best = -1, top = -1, equal = 0;
    for (int cell = 0; cell < 16; cell++) {
        if (board[cell] >= 0) continue;
        int value = score(cell);
        if (value > top) top = value, best = cell, equal = 1;
        else if (value == top && below(++equal) == 0) best = cell;
    }
    return best;
}

static int best_piece(void) {
    int best = -1, safe = -1, equal = 0;
    for (int piece = 0; piece < 16; piece++) {
        if (!in_pool(piece)) continue;
        int value = is_safe(piece);
        if (value > safe) safe = value, best = piece, equal = 1;
        else if (value == safe && below(++equal) == 0) best = piece;
    }
    return best;
}

static int digit(char c) { return c == '.' || c == '-' ? -1 : (int)strtol((char[]){c, 0}, 0, 16); }

int main(void) {
    char line[256], word[16], text[32], piece[8];
    setvbuf(stdout, 0, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        unsigned long long seed;
        *word = *text = *piece = 0;
        sscanf(line, "%15s %31s %7s", word, text, piece);
        if (!strcmp(word, "quit")) return 0;
        if (!strcmp(word, "quarto")) puts("quarto 1 bot.c\noption careful 1\nready");
        if (!strcmp(word, "option") && !strcmp(text, "careful")) careful = atoi(piece);
        if (!strcmp(word, "new") && sscanf(text, "%llu", &seed)) state = seed | 1, puts("ready");
        if (strcmp(word, "place") && strcmp(word, "give")) continue;
        for (int i = 0, cell = 0; text[i] && cell < 16; i++)
            if (text[i] != '/') board[cell++] = digit(text[i]);
        hand = digit(*piece);
        if (*word == 'g') printf("%x\n", best_piece());
        else { int cell = best_cell(); printf("%c%d\n", 'a' + cell / 4, cell % 4 + 1); }
    }
}
